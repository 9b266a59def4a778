import { isObject } from '../../model/json-object.ts';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { RefreshedFacts } from '../../model/ports/shared-state.ts';
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
  if (facts?.news === undefined || facts.unchecked === undefined) return undefined;
  const { news, unchecked } = facts;
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
    if (unknown.length === 0) return identities.map(() => true);
    // What is read after the news is at least as new.
    const known = await unchecked(unknown);
    const [found, others] = [new Set<string>(), new Set<string>()];
    for (const [index, one] of unknown.entries())
      (isPlain(one, known[index]) && eligibility(packageOf(one)).lookUp?.key === one ? found : others).add(
        one,
      );
    // Facts were replaced since, when another caller asked for news.
    if (now !== memory) return identities.map((one) => now.plain.has(one) || found.has(one));
    if (now.plain.size < MAX_PLAIN) for (const one of found) now.plain.add(one);
    return identities.map((one) => !others.has(one));
  };
}

function without(plain: Set<string>, replaced: readonly string[]): Set<string> {
  for (const one of replaced) plain.delete(one);
  return plain;
}

/**
 * Whether a stored fact is a record as it is written, without anything that makes a finding, or may. What is stored in any other form is not
 * plain: it is read and checked like all other facts. Most facts of a fleet are read for this alone, and to check them by their schema takes
 * several times as long.
 */
function isPlain(identity: string, fact: unknown): boolean {
  if (!isObject(fact) || !isObject(fact['record'])) return false;
  if (!Object.keys(fact).every((field) => field === 'record' || field === 'version')) return false;
  const {
    versionKey,
    publishedAt = '',
    isDefault,
    isDeprecated,
    licenses,
    advisoryIds,
    ...others
  } = fact['record'];
  return (
    isDeprecated === false &&
    isListOfTexts(advisoryIds) &&
    advisoryIds.length === 0 &&
    Object.keys(others).length === 0 &&
    typeof publishedAt === 'string' &&
    typeof isDefault === 'boolean' &&
    isListOfTexts(licenses) &&
    isObject(versionKey) &&
    isListOfTexts(Object.values(versionKey)) &&
    formatVersionKey(versionKey as unknown as VersionKey) === identity
  );
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
