import { createDeferredLog } from '../compose/deferred-log.ts';
import { openLookUpCache } from '../compose/look-up-cache.ts';
import { openScanner } from '../compose/scanner.ts';
import type { LoadedConfig } from '../config/load.ts';
import { isExcluded } from '../fleet/compact-lockfile.ts';
import type { PackageCheck, PackageChecks, PackageQuestion } from '../model/api/lockhound-api.generated.ts';
import type { ResolvedPackage } from '../model/scan/inventory.ts';
import { chunks } from '../model/yielding.ts';
import { checkPackages, countChecks, MAX_PACKAGES } from '../operations/packages/check-packages.ts';
import { Refusal } from '../operations/refusal.ts';
import type { ScanOptions } from './scan.ts';
import { sharedSuppressions } from './shared-suppressions.ts';

/** `target`: its suppressions apply. Default: none. */
type AloneOptions = { readonly signal?: AbortSignal | undefined } & Partial<
  Pick<ScanOptions, 'local' | 'cache' | 'target'>
>;

const NOT_HERE = 'a target needs redis.url or a server: nothing is known of it here';

/** The answer of the gate without a fleet: from the API, or from imported advisories, with the look-ups of earlier commands. Throws `Refusal`. */
export async function checkAlone(
  loaded: LoadedConfig,
  question: PackageQuestion,
  options: AloneOptions = {},
): Promise<PackageChecks> {
  if (question.target !== undefined) throw new Refusal(400, 'target-unknown', NOT_HERE);
  const { signal = new AbortController().signal, local, target = '' } = options;
  const { cache = { onFault: () => {} } } = options;
  const kept = local === true ? undefined : openLookUpCache(loaded, cache);
  const log = createDeferredLog(loaded);
  const scanner = await openScanner(loaded, {
    log,
    local:
      local === true
        ? await (await import('../embedded/insights/local-index.ts')).openLocalIndex()
        : undefined,
    suppressions: await sharedSuppressions(loaded, log),
    cache: kept?.cache,
    signal,
    onProgress: () => {},
    onWait: () => {},
  });
  const { insights, exploits, rules } = scanner;
  try {
    return await checkPackages(question, {
      gate: {
        insights: () => insights,
        policy: rules.policy,
        suppressions: async () => rules.suppressions,
        exploits: async () => exploits,
        inspections: { read: async (identities) => identities.map(() => undefined) },
        isInspecting: loaded.config.insights.sources.includes('api'),
        state: async () => [],
        close: scanner.close,
      },
      ...{ target: { id: target, labels: {} }, seesAll: true, signal, now: Date.now() },
      nearNames: async () => [],
    });
  } finally {
    await scanner.close();
    await kept?.cache.flush();
  }
}

/** The answer of the gate about packages that a change adds; `undefined` without one. Private ones and those of no index are not asked for. */
export async function checkAdded(
  loaded: LoadedConfig,
  added: readonly ResolvedPackage[],
  options: AloneOptions,
): Promise<PackageChecks | undefined> {
  const asked = added.filter((one) => !isExcluded(one)).map(({ purl }) => purl);
  const packages: PackageCheck[] = [];
  for (const part of chunks(asked, MAX_PACKAGES))
    packages.push(...(await checkAlone(loaded, { packages: part }, options)).packages);
  return asked.length === 0 ? undefined : { packages, counts: countChecks(packages) };
}
