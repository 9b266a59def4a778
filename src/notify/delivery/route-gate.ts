import type { DeliveryReceipt, Notification } from '../../model/alert/notification.ts';
import { NotifyError } from '../errors.ts';
import type { Notifier } from './deliver.ts';

/** Where it is remembered which routes are stopped, for all workers. */
export interface RouteStops {
  stoppedRoute(route: string): Promise<{ readonly reason: string } | undefined>;
  stopRoute(route: string, reason: string): Promise<unknown>;
}

export interface GateOptions {
  readonly stops: RouteStops;
  /** Deliveries that this process has under way at once, all routes together. */
  readonly concurrency: number;
}

/** What came of handing a notification to its route. */
export type GatedDelivery =
  | { readonly kind: 'delivered'; readonly receipt: DeliveryReceipt }
  /** The route is stopped until an operator resumes it. */
  | { readonly kind: 'held'; readonly reason: string }
  /** Nothing was sent; soon it may be. */
  | { readonly kind: 'later'; readonly reason: string };

export interface GatedNotifier {
  routes(): readonly string[];
  /** Throws `NotifyError` when the receiver did not take it. */
  deliver(route: string, notification: Notification, signal: AbortSignal): Promise<GatedDelivery>;
}

/**
 * Keeps routes from one another: a receiver that hangs takes up no more than its route's share of what is under way at
 * once, and one that answers 410 stops its route.
 */
export function gateRoutes(notifier: Notifier, { stops, concurrency }: GateOptions): GatedNotifier {
  const underWay = new Map<string, number>();
  return {
    routes: () => notifier.routes(),
    async deliver(route, notification, signal) {
      const stopped = await stops.stoppedRoute(route);
      if (stopped !== undefined) return { kind: 'held', reason: stopped.reason };
      const share = shareOf(concurrency, notifier.routes().length);
      const busy = underWay.get(route) ?? 0;
      if (busy >= share)
        return { kind: 'later', reason: `${busy} deliveries of route ${route} are under way` };
      underWay.set(route, busy + 1);
      try {
        return { kind: 'delivered', receipt: await notifier.deliver(route, notification, signal) };
      } catch (error) {
        return await standstill(stops, route, error);
      } finally {
        underWay.set(route, (underWay.get(route) ?? 1) - 1);
      }
    },
  };
}

async function standstill(stops: RouteStops, route: string, error: unknown): Promise<GatedDelivery> {
  if (!(error instanceof NotifyError)) throw error;
  if (error.code === 'not-provisioned') return { kind: 'later', reason: error.message };
  if (error.code !== 'receiver-gone') throw error;
  await stops.stopRoute(route, error.message);
  return { kind: 'held', reason: error.message };
}

/** All of it for a single route; two at least, so that one slow answer does not hold up a route. */
function shareOf(concurrency: number, routes: number): number {
  return routes <= 1 ? concurrency : Math.max(2, Math.floor(concurrency / routes));
}
