import { formatVersionKey } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { Known, RefreshedFacts } from '../../model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import type { Eligibility } from './eligibility.ts';

/** Identities in the memory of a process: some 20 MB. */
const MAX_PLAIN = 250_000;

interface PlainParts {
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  readonly facts: RefreshedFacts<VersionRecordSummary> | undefined;
}

/**
 * The function behind `Insights.isPlain`. Most versions of a fleet are plain; which ones stays in the memory of this process until their facts
 * are replaced, so that a target is judged again without reading all of its facts.
 */
export function createPlainVersions({ eligibility, facts }: PlainParts): Insights['isPlain'] {
  if (facts?.news === undefined) return undefined;
  const { news, read } = facts;
  let memory: { readonly until: string | undefined; readonly plain: Set<string> } = {
    until: undefined,
    plain: new Set(),
  };
  return async (identities, packageOf) => {
    const { until, replaced } = await news(memory.until);
    if (until !== memory.until) {
      if (replaced === undefined) memory = { until, plain: new Set() };
      else memory = { until, plain: without(memory.plain, replaced) };
    }
    const now = memory;
    const unknown = [...new Set(identities.filter((one) => !now.plain.has(one)))];
    // What is read after the news is at least as new.
    const known = await read(unknown);
    const found = new Set(
      unknown.filter((one, index) => isPlain(one, known[index], eligibility(packageOf(one)))),
    );
    const answers = identities.map((one) => now.plain.has(one) || found.has(one));
    // Facts may have been replaced since another caller asked for news.
    if (now === memory && now.plain.size < MAX_PLAIN) for (const one of found) now.plain.add(one);
    return answers;
  };
}

function without(plain: Set<string>, replaced: readonly string[]): Set<string> {
  for (const one of replaced) plain.delete(one);
  return plain;
}

/** The fields of a record that make no finding, whatever they say. Any other makes one, or may. */
const SILENT: ReadonlySet<string> = new Set<keyof VersionRecordSummary>([
  'versionKey',
  'publishedAt',
  'isDefault',
  'licenses',
]);

function isPlain(
  identity: string,
  known: Known<VersionRecordSummary> | undefined,
  { lookUp }: Eligibility,
): boolean {
  if (known === undefined || !('record' in known) || known.doubted !== undefined) return false;
  const { isDeprecated, advisoryIds, ...others } = known.record;
  return (
    !isDeprecated &&
    advisoryIds.length === 0 &&
    Object.keys(others).every((field) => SILENT.has(field)) &&
    formatVersionKey(others.versionKey) === identity &&
    lookUp?.key === identity
  );
}
