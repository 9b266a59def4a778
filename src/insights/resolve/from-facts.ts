import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { resolutionOfRecord } from '../../model/losses/statements.ts';
import type { Resolved } from '../../model/ports/insights.ts';
import type { Facts, Known, SeenVersions } from '../../model/ports/shared-state.ts';
import type { Resolution, VersionRecordSummary } from '../../model/scan/inventory.ts';
import { mapInSlices } from '../../model/yielding.ts';
import type { Eligibility, LookUp } from './eligibility.ts';

interface FactParts {
  readonly eligibility: (locked: LockedPackage) => Eligibility;
  /** Versions that the index had before. Unset: none are known. */
  readonly seen?: SeenVersions | undefined;
  /** Unset: a run without a fleet, in which nothing is known. */
  readonly facts?: Facts<VersionRecordSummary> | undefined;
  /** Whether imported advisories alone answer: nothing is stored of a version that they do not cover. Default: false. */
  readonly isLocal?: boolean | undefined;
}

const NOT_ANSWERED: Resolution = { outcome: 'failed', reason: 'the index has given no answer about it' };
const NOT_COVERED: Resolution = { outcome: 'uncovered', reason: 'imported advisories say nothing about it' };

/** One outcome for each package, in order, from what the fleet knows. Nothing is requested. */
export async function resolveFromFacts(
  parts: FactParts,
  packages: readonly LockedPackage[],
): Promise<Resolved> {
  const eligibilities = await mapInSlices(packages, parts.eligibility);
  const lookUps = eligibilities.flatMap(({ lookUp }) => lookUp ?? []);
  const known = (await parts.facts?.read(lookUps.map(({ key }) => key))) ?? [];
  const missing = await judgeMissing(parts.seen, missingAmong(lookUps, known));
  let next = 0;
  const resolutions = await mapInSlices(eligibilities, ({ lookUp, resolution }): Resolution => {
    if (lookUp === undefined) return resolution;
    const answer = known[next++];
    if (answer === undefined) return parts.isLocal === true ? NOT_COVERED : NOT_ANSWERED;
    return 'record' in answer ? resolutionOfRecord(answer) : (missing.get(lookUp.key) ?? NOT_ANSWERED);
  });
  return { resolutions, retryable: resolutions.includes(NOT_ANSWERED), retryAfterMs: undefined };
}

/** Each once. */
function missingAmong(
  lookUps: readonly LookUp[],
  known: readonly (Known<VersionRecordSummary> | undefined)[],
): readonly LookUp[] {
  const missing = lookUps.filter((_, index) => 'missing' in (known[index] ?? {}));
  return [...new Map(missing.map((lookUp) => [lookUp.key, lookUp])).values()];
}

/**
 * Resolutions, by key, of look-ups for which the service has no version. `seen`: versions that the index had before; without it
 * none are known. Rejects when it cannot be read.
 */
export async function judgeMissing(
  seen: SeenVersions | undefined,
  missing: readonly LookUp[],
): Promise<ReadonlyMap<string, Resolution>> {
  const before = missing.length === 0 ? [] : await seen?.has(missing.map(({ key }) => key));
  const judged = missing.map(({ key }, index): [string, Resolution] => [
    key,
    before?.[index] === true
      ? { outcome: 'missing', seenBefore: true, reason: `the index no longer has ${key}` }
      : { outcome: 'missing', reason: `the index has no ${key}` },
  ]);
  return new Map(judged);
}
