import { openInsights } from '../../compose/insights.ts';
import { type CacheOptions, openLookUpCache } from '../../compose/look-up-cache.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { createMemoryCache } from '../../insights/disk-cache/memory-cache.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { ComparisonGap } from '../../model/review/package-change.ts';
import type { LicencesByPurl } from '../../policy/review/licence-changes.ts';

/** Looks up the licences of packages, each once. What could not be looked up is a gap. */
export async function lookUpLicences(
  loaded: LoadedConfig,
  packages: readonly LockedPackage[],
  { cache: options, signal }: { readonly cache: CacheOptions; readonly signal: AbortSignal },
): Promise<{ readonly licences: LicencesByPurl; readonly gaps: readonly ComparisonGap[] }> {
  const distinct = [...new Map(packages.map((locked) => [locked.purl, locked])).values()];
  const kept = openLookUpCache(loaded, options);
  const { insights, close } = await openInsights(loaded, kept?.cache ?? createMemoryCache());
  try {
    const { resolutions } = await insights.resolve(distinct, { signal });
    const licences = new Map<string, readonly string[]>();
    const gaps: ComparisonGap[] = [];
    for (const [index, { purl }] of distinct.entries()) {
      const { outcome, record, reason = 'not looked up' } = resolutions[index] ?? { outcome: 'failed' };
      // Imported advisories say nothing of licences.
      const isKnown = record !== undefined && record.advisoriesOnly === undefined;
      if (isKnown) licences.set(purl, record.licenses);
      if (outcome === 'failed' || outcome === 'uncovered' || (record !== undefined && !isKnown))
        gaps.push({ side: 'new', subject: purl, reason });
    }
    return { licences, gaps };
  } finally {
    await close();
    await kept?.cache.flush();
  }
}
