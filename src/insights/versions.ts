import type { LimitFunction } from 'p-limit';
import type { VersionRecordSummary } from '../model/resolution.ts';
import { fieldsOf, listOf, mismatch, textOf } from './answer.ts';
import { type Batch, type BatchOutcome, type BatchPage, type PageSize, runBatch } from './batch.ts';
import type { Known } from './caching.ts';
import { InsightsError } from './errors.ts';
import type { LookUp } from './look-up.ts';
import { getVersionBatch, purlLookupBatch } from './operations.ts';
import type { InsightsService } from './service.ts';
import { readVersionRecord } from './version-record.ts';

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

/** The look-up over a service. Page sizes are learned once for each of its two batches. */
export function createVersionLookUp(service: InsightsService, limit: LimitFunction): VersionLookUp {
  const purlPages: PageSize = { learned: undefined };
  const versionPages: PageSize = { learned: undefined };
  return async (lookUps, signal, settled) => {
    const again: LookUp[] = [];
    const byPurl = batchOf(lookUps, readPurlAnswer, (answers) => {
      again.push(...answers.filter(isMissedGoModule).map(([lookUp]) => lookUp));
      settled(answers.filter((answer) => !isMissedGoModule(answer)));
    });
    await runBatch(
      { ...byPurl, send: (part, token) => sendPurls(service, part, token, signal) },
      purlPages,
      limit,
    );
    const byVersion = batchOf(again, readVersionAnswer, settled);
    await runBatch(
      { ...byVersion, send: (part, token) => sendVersionKeys(service, part, token, signal) },
      versionPages,
      limit,
    );
  };
}

function batchOf(
  lookUps: readonly LookUp[],
  read: (answer: unknown, lookUp: LookUp) => VersionAnswer,
  settled: (answers: readonly (readonly [LookUp, VersionAnswer])[]) => void,
): Omit<Batch<LookUp, unknown>, 'send'> {
  return {
    requests: lookUps,
    settled(start, outcomes) {
      const stretch = lookUps.slice(start, start + outcomes.length);
      settled(stretch.map((lookUp, index) => [lookUp, toAnswer(outcomes[index], lookUp, read)] as const));
    },
  };
}

function toAnswer(
  outcome: BatchOutcome<unknown> | undefined,
  lookUp: LookUp,
  read: (answer: unknown, lookUp: LookUp) => VersionAnswer,
): VersionAnswer {
  if (outcome?.error !== undefined) return { error: outcome.error };
  try {
    return read(outcome?.answer, lookUp);
  } catch (error) {
    // One answer that is not as promised; the others of its page stand.
    if (error instanceof InsightsError) return { error };
    throw error;
  }
}

/** Purls of Go modules are in lower case: a module with capitals is missed by purl and found by name. */
function isMissedGoModule([lookUp, answer]: readonly [LookUp, VersionAnswer]): boolean {
  return 'missing' in answer && lookUp.versionKey.system === 'GO' && /[A-Z]/.test(lookUp.versionKey.name);
}

async function sendPurls(
  service: InsightsService,
  part: readonly LookUp[],
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<BatchPage<unknown>> {
  const requests = part.map(({ purl }) => ({ purl }));
  const body = pageToken === undefined ? { requests } : { requests, pageToken };
  return readPage(await purlLookupBatch(service, body, signal), 'purlbatch');
}

async function sendVersionKeys(
  service: InsightsService,
  part: readonly LookUp[],
  pageToken: string | undefined,
  signal: AbortSignal,
): Promise<BatchPage<unknown>> {
  const requests = part.map(({ versionKey }) => ({ versionKey }));
  const body = pageToken === undefined ? { requests } : { requests, pageToken };
  return readPage(await getVersionBatch(service, body, signal), 'versionbatch');
}

function readPage(answer: unknown, at: string): BatchPage<unknown> {
  const page = fieldsOf(answer, at);
  return {
    responses: listOf(page, 'responses', at),
    nextPageToken: textOf(page, 'nextPageToken', at),
  };
}

function readPurlAnswer(answer: unknown, lookUp: LookUp): VersionAnswer {
  const at = lookUp.purl;
  const result = fieldsOf(answer, at)['result'];
  if (result === undefined || result === null) return { missing: true };
  const { version, package: named } = fieldsOf(result, at) as { version?: unknown; package?: unknown };
  if (version === undefined && named !== undefined) throw mismatch(`${at}.result`, 'a version', result);
  return toRecord(version, lookUp);
}

function readVersionAnswer(answer: unknown, lookUp: LookUp): VersionAnswer {
  return toRecord(fieldsOf(answer, lookUp.purl)['version'], lookUp);
}

function toRecord(version: unknown, { purl, versionKey }: LookUp): VersionAnswer {
  if (version === undefined || version === null) return { missing: true };
  const record = readVersionRecord(version, purl);
  // The echo proves nothing, but an answer of another system cannot be this one's.
  if (record.versionKey.system !== versionKey.system)
    throw mismatch(purl, versionKey.system, record.versionKey);
  return { record };
}
