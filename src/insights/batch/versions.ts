import type { LimitFunction } from 'p-limit';
import type {
  PurlLookupBatchRequest,
  PurlResponse,
  Version,
  VersionBatchRequest,
  VersionResponse,
} from '../../model/api/insights-api.generated.ts';
import { messageOf } from '../../model/errors.ts';
import type { VersionRecordSummary } from '../../model/scan/resolution.ts';
import { answerOf, type ContractProblem, formatProblem } from '../answered.ts';
import type { Known } from '../caching.ts';
import { InsightsError } from '../errors.ts';
import { isVital, RECORD_FIELDS, readVersionRecord } from '../records/version-record.ts';
import { isMissedByPurl, type LookUp } from '../resolve/look-up.ts';
import type { InsightsService } from '../service.ts';
import { type Batch, type BatchOutcome, type BatchPage, type PageSize, runBatch } from './engine.ts';
import { type PageEntry, readPage } from './pages.ts';

/** What a look-up came to. */
export type VersionAnswer = Known<VersionRecordSummary> | { readonly error: InsightsError };

/**
 * Looks versions up in batches. `settled` is told once for every look-up, stretch by stretch as answers come in. Rejects
 * only when aborted.
 */
export type VersionLookUp = (
  lookUps: readonly LookUp[],
  signal: AbortSignal,
  settled: (answers: readonly (readonly [lookUp: LookUp, answer: VersionAnswer])[]) => void,
) => Promise<void>;

export interface VersionLookUpOptions {
  readonly service: InsightsService;
  readonly limit: LimitFunction;
  /** Told of what does not fit in an answer that is used all the same. */
  readonly onContractProblem?: (problem: ContractProblem, subject: string) => void;
}

type Read<Entry> = (answer: PageEntry<Entry>, lookUp: LookUp) => VersionAnswer;

/** What is read of an answer of PurlLookupBatch. */
export const PURL_FIELDS = [
  'nextPageToken',
  'responses.result.package.packageKey',
  ...RECORD_FIELDS.map((field) => `responses.result.version.${field}`),
];
/** The same for GetVersionBatch. */
const VERSION_FIELDS = ['nextPageToken', ...RECORD_FIELDS.map((field) => `responses.version.${field}`)];

/** The look-up over a service. Page sizes are learned once for each of its two batches. */
export function createVersionLookUp(options: VersionLookUpOptions): VersionLookUp {
  const { service, limit } = options;
  const purlPages: PageSize = { learned: undefined };
  const versionPages: PageSize = { learned: undefined };
  const readPurl: Read<PurlResponse> = (answer, lookUp) => readPurlAnswer(options, answer, lookUp);
  const readVersion: Read<VersionResponse> = (answer, lookUp) =>
    toRecord(options, answer, answer.entry.version, lookUp);
  return async (lookUps, signal, settled) => {
    const again: LookUp[] = [];
    const byPurl = batchOf(lookUps, readPurl, (answers) => {
      again.push(...answers.filter(isMissedGoModule).map(([lookUp]) => lookUp));
      settled(answers.filter((answer) => !isMissedGoModule(answer)));
    });
    await runBatch(
      { ...byPurl, send: (part, token) => sendPurls(service, part, token, signal) },
      purlPages,
      limit,
    );
    const byVersion = batchOf(again, readVersion, settled);
    await runBatch(
      { ...byVersion, send: (part, token) => sendVersionKeys(service, part, token, signal) },
      versionPages,
      limit,
    );
  };
}

function batchOf<Entry>(
  lookUps: readonly LookUp[],
  read: Read<Entry>,
  settled: (answers: readonly (readonly [LookUp, VersionAnswer])[]) => void,
): Omit<Batch<LookUp, PageEntry<Entry>>, 'send'> {
  return {
    requests: lookUps,
    settled(start, outcomes) {
      const stretch = lookUps.slice(start, start + outcomes.length);
      settled(stretch.map((lookUp, index) => [lookUp, toAnswer(outcomes[index], lookUp, read)] as const));
    },
  };
}

function toAnswer<Entry>(
  outcome: BatchOutcome<PageEntry<Entry>> | undefined,
  lookUp: LookUp,
  read: Read<Entry>,
): VersionAnswer {
  if (outcome === undefined) throw new RangeError(`no outcome for ${lookUp.key}`);
  if (outcome.error !== undefined) return { error: outcome.error };
  try {
    return read(outcome.answer, lookUp);
  } catch (error) {
    // One answer that is not as promised; the others of its page stand.
    if (error instanceof InsightsError) return { error };
    const message = `${lookUp.purl}: its answer cannot be read: ${messageOf(error)}`;
    return { error: new InsightsError('contract', message, { cause: error }) };
  }
}

function isMissedGoModule([lookUp, answer]: readonly [LookUp, VersionAnswer]): boolean {
  return 'missing' in answer && isMissedByPurl(lookUp.versionKey);
}

// The look-ups keep the rules of both batches already (`lookUpOf`): no need to hold them against each again.

async function sendPurls(
  service: InsightsService,
  part: readonly LookUp[],
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<BatchPage<PageEntry<PurlResponse>>> {
  const requests = part.map(({ purl }) => ({ purl }));
  const body: PurlLookupBatchRequest = pageToken === undefined ? { requests } : { requests, pageToken };
  const options = { signal, fields: PURL_FIELDS };
  return readPage(answerOf(await service.ask('insights.purlLookupBatch', () => ({ body }), options)));
}

async function sendVersionKeys(
  service: InsightsService,
  part: readonly LookUp[],
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<BatchPage<PageEntry<VersionResponse>>> {
  const requests = part.map(({ versionKey }) => ({ versionKey }));
  const body: VersionBatchRequest = pageToken === undefined ? { requests } : { requests, pageToken };
  const options = { signal, fields: VERSION_FIELDS };
  return readPage(answerOf(await service.ask('insights.getVersionBatch', () => ({ body }), options)));
}

function readPurlAnswer(
  options: VersionLookUpOptions,
  answer: PageEntry<PurlResponse>,
  lookUp: LookUp,
): VersionAnswer {
  const { result } = answer.entry;
  if (result?.version === undefined && result?.package !== undefined) {
    throw new InsightsError('contract', `${lookUp.purl}: a version is expected, there is a package`);
  }
  return toRecord(options, answer, result?.version, lookUp);
}

function toRecord(
  { onContractProblem }: VersionLookUpOptions,
  { problems }: PageEntry<unknown>,
  version: Version | undefined,
  { purl, versionKey }: LookUp,
): VersionAnswer {
  const vital = problems.find(({ path }) => isVital(path));
  if (vital !== undefined) throw new InsightsError('contract', `${purl}: ${formatProblem(vital)}`);
  for (const problem of problems) onContractProblem?.(problem, purl);
  if (version === undefined) return { missing: true };
  const record = readVersionRecord(version);
  // The echo proves nothing, but an answer of another system cannot be this one's.
  if (record.versionKey.system !== versionKey.system) {
    throw new InsightsError('contract', `${purl}: an answer of ${record.versionKey.system} came back`);
  }
  return { record };
}
