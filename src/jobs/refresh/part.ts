import type { Cadence } from '../../model/fleet/cadence.ts';
import type { RefreshedPart } from '../../model/fleet/refresh.ts';
import type { Refreshed } from '../../model/ports/insights.ts';
import { IncompleteError } from '../../scan/attempt.ts';
import type { JobLimits, JobRun, LogFacts, RunContext } from '../job.ts';
import type { FleetPort } from '../ports.ts';
import { isSuperseded, letScansPass, renewalOf } from './claim.ts';

interface PartPayload {
  readonly refresh: string;
  readonly cadence: Cadence;
  readonly requestedAt: string;
  readonly part: number;
}

const SUPERSEDED: RefreshedPart = {
  answered: 0,
  unknown: 0,
  changed: 0,
  failed: 0,
  unanswered: 0,
  lost: [],
  kept: {},
  superseded: true,
};

/** Nobody waits for a part, so that it asks a failing service rarely. With a low request budget a part takes long. */
export const PART_LIMITS: JobLimits = {
  attempts: 8,
  backoffMs: 20_000,
  maxBackoffMs: 60_000,
  timeoutMs: 7_200_000,
  concurrency: 1,
};

/**
 * Runs one part of a refresh. Look-ups that may succeed later are retried by the queue; on the last attempt, what is known of
 * them stays.
 */
export async function refreshPart(
  payload: PartPayload,
  fleet: FleetPort,
  { startedAt, lastAttempt }: RunContext,
  ask: () => Promise<Refreshed>,
): Promise<JobRun<RefreshedPart>> {
  if (await isSuperseded(fleet, payload)) return { result: SUPERSEDED, next: [] };
  await letScansPass(fleet, payload, startedAt);
  const { retryAfterMs, ...counts } = await ask();
  if (counts.unanswered > 0 && !lastAttempt) {
    const asked = counts.answered + counts.failed;
    const message = `${counts.unanswered} of ${asked} look-ups were not answered: ${counts.reason ?? 'unknown reason'}`;
    throw new IncompleteError('lookups-incomplete', message, { retryAfterMs });
  }
  return { result: counts, next: [], fleet: { claim: renewalOf(payload) } };
}

export function logPart(
  { refresh, part }: PartPayload,
  { lost, kept: _kept, ...counts }: RefreshedPart,
): LogFacts {
  return {
    facts: { refresh, part, ...counts, lost: lost.length },
    warning: counts.failed === 0 ? undefined : 'look-ups failed; what was known of them stays',
  };
}
