import type { LimitFunction } from 'p-limit';
import type { PurlLookupResult } from '../../model/api/insights-api.generated.ts';
import { messageOf } from '../../model/errors.ts';
import type { Known } from '../../model/ports/shared-state.ts';
import type { VersionRecordSummary } from '../../model/scan/inventory.ts';
import { type ContractProblem, formatProblem } from '../answered.ts';
import { type BatchEntry, createBatchWork } from '../batch/operation.ts';
import { purlOperation, versionOperation, withNameFallback } from '../batch/operations.ts';
import { InsightsError } from '../errors.ts';
import { isVital, RECORD_FIELDS, readVersionRecord } from '../records/version-record.ts';
import type { InsightsService } from '../service.ts';
import type { LookUp } from './eligibility.ts';

/** The result of a look-up. */
export type VersionAnswer = Known<VersionRecordSummary> | { readonly error: InsightsError };

/**
 * Looks versions up in batches. `settled` is called with one answer for every look-up, page by page. Rejects only when
 * aborted.
 */
export type VersionLookUp = (
  lookUps: readonly LookUp[],
  signal: AbortSignal,
  settled: (answers: readonly (readonly [lookUp: LookUp, answer: VersionAnswer])[]) => void,
) => Promise<void>;

export interface VersionLookUpOptions {
  readonly service: InsightsService;
  readonly limit: LimitFunction;
  /** Called for each part of an answer that does not fit its description; the rest is used. */
  readonly onContractProblem?: ((problem: ContractProblem, subject: string) => void) | undefined;
}

/** The fields of a purl's result that are read. */
export const RESULT_FIELDS = ['package.packageKey', ...RECORD_FIELDS.map((field) => `version.${field}`)];

/** Looks up by purl, and by name what purls cannot name. */
export function createVersionLookUp(options: VersionLookUpOptions): VersionLookUp {
  const { service, limit } = options;
  // Look-ups follow the rules of both operations already (`lookUpOf`).
  const byPurl = createBatchWork(
    purlOperation(
      service,
      ({ purl }: LookUp) => purl,
      ({ versionKey }) => versionKey,
    ),
    limit,
  );
  const byName = createBatchWork(versionOperation(service), limit);
  const work = withNameFallback(byPurl(RESULT_FIELDS), byName(RECORD_FIELDS), ({ versionKey }) => versionKey);
  return async (lookUps, signal, settled) => {
    // A batch of one system each: where the service fails for one, the others are answered.
    const bySystem = Map.groupBy(lookUps, ({ versionKey }) => versionKey.system);
    const answer = (own: readonly LookUp[]) =>
      work(
        own,
        (entries) => settled(entries.map(([, entry]) => [entry.request, readEntry(options, entry)])),
        signal,
      );
    await Promise.all(Array.from(bySystem.values(), answer));
  };
}

function readEntry(
  options: VersionLookUpOptions,
  entry: BatchEntry<LookUp, PurlLookupResult>,
): VersionAnswer {
  if (entry.error !== undefined) return { error: entry.error };
  if (entry.missing === true) return entry.uncovered === true ? { error: uncovered() } : { missing: true };
  const { purl } = entry.request;
  try {
    return readResult(options, entry.request, entry.value, entry.problems);
  } catch (error) {
    // Only this answer is unusable; the others of its page are used.
    if (error instanceof InsightsError) return { error };
    const message = `${purl}: its answer cannot be read: ${messageOf(error)}`;
    return { error: new InsightsError('contract', message, { cause: error }) };
  }
}

/** The error for a version without an answer, so that nothing is stored of it. */
function uncovered(): InsightsError {
  return new InsightsError('uncovered', 'not in the local data set');
}

function readResult(
  { onContractProblem }: VersionLookUpOptions,
  { purl }: LookUp,
  result: PurlLookupResult,
  problems: readonly ContractProblem[],
): VersionAnswer {
  const vital = problems.find(({ path }) => isVital(path));
  if (vital !== undefined) throw new InsightsError('contract', `${purl}: ${formatProblem(vital)}`);
  for (const problem of problems) onContractProblem?.(problem, purl);
  if (result.version === undefined) {
    if (result.package === undefined) return { missing: true };
    throw new InsightsError('contract', `${purl}: the answer holds a package where a version is expected`);
  }
  return { record: readVersionRecord(result.version) };
}
