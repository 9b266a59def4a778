import type { FleetSnapshot } from '../../fleet/view/fleet-snapshot.ts';
import type { FleetView } from '../../fleet/view/fleet-view.ts';
import type { HealthVerdict } from '../../model/fleet/checks.ts';
import type { OperationContext } from '../../operations/context.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { FleetNumbers } from '../../server/metrics/fleet-numbers.ts';
import type { SharedStore } from '../shared-store.ts';

/** What the operations of a server work with. */
export interface ServeContext extends OperationContext {
  readonly shared: SharedStore;
  readonly view: FleetView;
  /** The numbers of all workers together. */
  readonly numbers: () => Promise<FleetNumbers>;
  /** The verdict of `lockhound health`. */
  readonly health: () => Promise<HealthVerdict>;
  /** A reading of events that failed. */
  readonly onEventFailure: (reason: string) => void;
}

/** The fleet in memory. Throws `Refusal` until it has been read. */
export function snapshotOf({ view }: Pick<ServeContext, 'view'>): FleetSnapshot {
  const snapshot = view.snapshot();
  if (snapshot !== undefined) return snapshot;
  throw new Refusal(503, 'view-loading', 'the fleet is being read: try again in a moment', { retryAfter: 1 });
}
