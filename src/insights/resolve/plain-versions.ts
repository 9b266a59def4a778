import { isObject } from '../../model/json-object.ts';
import { formatVersionKey, type VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { RefreshedFacts } from '../../model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import type { Eligibility } from './eligibility.ts';

/** Identities in the memory of a process: some 20 MB. */
const MAX_KNOWN = 250_000;

interface PlainParts {
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  readonly facts: RefreshedFacts<VersionRecordSummary> | undefined;
}

/**
 * The function behind `Insights.isPlain`. Most versions of a fleet are plain; which ones are, and which are not, stays in the memory of this
 * process until their facts are replaced, so that a target is judged again without reading all of its facts.
 */
export function createPlainVersions({ eligibility, facts }: PlainParts): Insights['isPlain'] {
  if (facts?.news === undefined || facts.unchecked === undefined) return undefined;
  const { news, unchecked } = facts;
  let memory: { readonly until: string | undefined; readonly isPlain: Map<string, boolean> } = {
    until: undefined,
    isPlain: new Map(),
  };
  return async (identities, packageOf) => {
    const { until, replaced } = await news(memory.until);
    if (until !== memory.until) {
      if (replaced === undefined) memory = { until, isPlain: new Map() };
      else memory = { until, isPlain: without(memory.isPlain, replaced) };
    }
    const now = memory;
    const answers = identities.map((one) => now.isPlain.get(one));
    const unknown = [...new Set(identities.filter((_, index) => answers[index] === undefined))];
    if (unknown.length === 0) return answers.map((one) => one === true);
    // What is read after the news is at least as new.
    const known = await unchecked(unknown);
    const found = new Map<string, boolean>();
    for (const [index, one] of unknown.entries()) {
      const own = isPlain(one, known[index]) && eligibility(packageOf(one)).lookUp?.key === one;
      found.set(one, own);
      // Facts may have been replaced since, when another caller asked for news. The first fact of a version replaces none.
      if (now === memory && known[index] !== undefined && now.isPlain.size < MAX_KNOWN)
        now.isPlain.set(one, own);
    }
    return identities.map((one, index) => (answers[index] ?? found.get(one)) === true);
  };
}

function without(known: Map<string, boolean>, replaced: readonly string[]): Map<string, boolean> {
  for (const one of replaced) known.delete(one);
  return known;
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
