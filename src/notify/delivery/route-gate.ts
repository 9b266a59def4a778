import type { DeliveryAnswer } from '../../model/alert/delivery.ts';
import type { Notification } from '../../model/alert/notification.ts';
import { NotifyError } from '../errors.ts';
import type { Notifier } from './deliver.ts';

/** The stopped routes, shared by all workers. */
export interface RouteStops {
  stoppedRoute(route: string): Promise<{ readonly reason: string } | undefined>;
  /** How often operators have resumed the route. */
  resumptions(route: string): Promise<number>;
  /** `resumed`: the route goes on, because it was resumed after `resumptions` were read. */
  stopRoute(
    route: string,
    reason: string,
    resumptions: number,
  ): Promise<'stopped' | 'was-stopped' | 'resumed'>;
}

export interface GateOptions {
  readonly stops: RouteStops;
  /** Maximum number of concurrent deliveries in this process, over all routes. */
  readonly concurrency: number;
  /** Number of configured routes. */
  readonly routes: number;
}

/**
 * Isolates routes from each other: a receiver that hangs occupies at most its route's share of the concurrent deliveries,
 * and one that answers 410 stops its route.
 */
export function createRouteGate({ stops, concurrency, routes }: GateOptions) {
  const share = shareOf(concurrency, routes);
  const active = new Map<string, number>();
  /** Delivers through a notifier. All notifiers of the gate share its limits. */
  return (notifier: Notifier) => ({
    /** Throws `NotifyError` when the receiver did not accept the notification, and what `read` throws. */
    async deliver(
      route: string,
      read: () => Promise<Notification>,
      signal: AbortSignal,
    ): Promise<DeliveryAnswer> {
      // The store joins what is read together.
      const [stopped, resumptions, notification] = await Promise.all([
        stops.stoppedRoute(route),
        stops.resumptions(route),
        read(),
      ]);
      if (stopped !== undefined) return { kind: 'held', reason: stopped.reason };
      const busy = active.get(route) ?? 0;
      if (busy >= share) return { kind: 'later', reason: `${busy} deliveries of route ${route} are active` };
      active.set(route, busy + 1);
      try {
        return { kind: 'delivered', receipt: await notifier.deliver(route, notification, signal) };
      } catch (error) {
        return await answerFor(stops, { route, resumptions }, error);
      } finally {
        active.set(route, (active.get(route) ?? 1) - 1);
      }
    },
  });
}

/** Throws the error again unless it concerns the whole route. */
async function answerFor(
  stops: RouteStops,
  { route, resumptions }: { readonly route: string; readonly resumptions: number },
  error: unknown,
): Promise<DeliveryAnswer> {
  if (!(error instanceof NotifyError)) throw error;
  if (error.code === 'not-provisioned') return { kind: 'later', reason: error.message };
  if (error.code !== 'receiver-gone') throw error;
  const ending = await stops.stopRoute(route, error.message, resumptions);
  return { kind: ending === 'resumed' ? 'later' : 'held', reason: error.message };
}

/** A single route gets everything; otherwise at least two, so that one slow answer does not block a route. */
function shareOf(concurrency: number, routes: number): number {
  return routes <= 1 ? concurrency : Math.max(2, Math.floor(concurrency / routes));
}
