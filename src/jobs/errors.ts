import { CodedError } from '../model/errors.ts';
import type { ReleaseState } from '../model/fleet/target-summary.ts';
import type { TargetState } from '../model/scan/change.ts';
import type { FleetPort } from './ports.ts';

/**
 * - `facts-missing`: the outcome of an earlier job is not in the store (the job failed permanently, or it expired).
 * - `route-held`: the route of a delivery is stopped until an operator resumes it.
 * - `route-later`: the route of a delivery accepts nothing at the moment; nothing was sent.
 * - `others-first`: other jobs come first: a refresh lets scans pass, alerts by issue wait for the targets that are judged,
 *   a scan of large lockfiles waits for another one of its target.
 * - `release-exists`: the release has other lockfiles.
 * - `source-invalid`: the source of a scan is not one that workers read.
 */
export class JobError extends CodedError<
  'facts-missing' | 'route-held' | 'route-later' | 'others-first' | 'release-exists' | 'source-invalid'
> {}

/** Throws `JobError` (`release-exists`) when the release that a target is has other lockfiles. */
export function requireSameRelease(
  target: string,
  state: Pick<TargetState, 'release'> | undefined,
  release: ReleaseState | undefined,
): void {
  if (state?.release === undefined || state.release.digest === release?.digest) return;
  throw new JobError(
    'release-exists',
    `${target} has other lockfiles, and a release keeps those that it has`,
  );
}

/** The postponing error (`others-first`) of a job that lets others pass. */
export function othersFirst(reason: string): JobError {
  return new JobError('others-first', reason, { retryable: true });
}

/**
 * Throws a postponing `JobError` (`others-first`) while scans wait for a worker, for at most `patienceMs` after the request: afterwards a job
 * runs beside them, because it would never run in a busy installation. `time`: ms since 1970.
 */
export async function letScansPass(
  fleet: Pick<FleetPort, 'waitingScans'>,
  { requestedAt }: { readonly requestedAt: string },
  patienceMs: number,
  time: number,
): Promise<void> {
  if (time - Date.parse(requestedAt) > patienceMs) return;
  const waiting = await fleet.waitingScans();
  if (waiting > 0) throw othersFirst(`${waiting} scans wait for a worker`);
}
