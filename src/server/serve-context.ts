import type { FleetSnapshot } from '../fleet/view/fleet-snapshot.ts';
import type { FleetView } from '../fleet/view/fleet-view.ts';
import type { OperationContext } from '../operations/context.ts';
import { Refusal } from '../operations/refusal.ts';

/** The context with which the operations of a server work. */
export interface ServeContext extends OperationContext {
  readonly view: FleetView;
  /** A reading of events that failed. */
  readonly onEventFailure: (reason: string) => void;
}

/** The fleet in memory. Throws `Refusal` until it has been read. */
export function snapshotOf({ view }: Pick<ServeContext, 'view'>): FleetSnapshot {
  const snapshot = view.snapshot();
  if (snapshot !== undefined) return snapshot;
  throw new Refusal(503, 'view-loading', 'the fleet is being read: try again in a moment', { retryAfter: 1 });
}
