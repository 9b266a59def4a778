import type { Cadence } from '../../model/fleet/cadence.ts';
import type { Claim } from '../../model/queue/outcome.ts';
import { JobError } from '../errors.ts';
import type { FleetPort } from '../ports.ts';

interface RefreshHeader {
  readonly refresh: string;
  readonly cadence: Cadence;
  /** RFC 3339. */
  readonly requestedAt: string;
}

/** A refresh without progress for this long is given up, and the next one starts. */
const EXPIRES_MS = 3_600_000;
/** How long a refresh waits for scans. Afterwards it runs beside them, because it would never run in a busy installation. */
const PATIENCE_MS: Readonly<Record<Cadence, number>> = { young: 120_000, all: 1_800_000 };

/** Keeps other refreshes of the cadence from starting. */
export function claimOf({ refresh, cadence }: RefreshHeader): Claim {
  return { name: claimName(cadence), holder: refresh, ttlMs: EXPIRES_MS };
}

/**
 * For a part. It does not take the claim: Redis may have lost the outcome of `refresh-fleet`, and with it the job that would release
 * the claim.
 */
export function renewalOf(header: RefreshHeader): Claim {
  return { ...claimOf(header), onlyHeld: true };
}

/** Lets the next refresh of the cadence start. */
export function releaseOf({ refresh, cadence }: RefreshHeader): Claim {
  return { name: claimName(cadence), holder: refresh, ttlMs: 0 };
}

export function claimName(cadence: Cadence): string {
  return `refresh-${cadence}`;
}

/** Whether the refresh was given up and another one has started. */
export async function isSuperseded(fleet: FleetPort, { refresh, cadence }: RefreshHeader): Promise<boolean> {
  const running = await fleet.refreshInProgress(cadence);
  return running !== undefined && running !== refresh;
}

/** Throws a postponing `JobError` (`others-first`) while scans wait for a worker. `time`: ms since 1970. */
export async function letScansPass(
  fleet: FleetPort,
  { cadence, requestedAt }: RefreshHeader,
  time: number,
): Promise<void> {
  if (time - Date.parse(requestedAt) > PATIENCE_MS[cadence]) return;
  const waiting = await fleet.waitingScans();
  if (waiting > 0)
    throw new JobError('others-first', `${waiting} scans wait for a worker`, { retryable: true });
}
