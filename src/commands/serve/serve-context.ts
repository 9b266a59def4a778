import type { LoadedConfig } from '../../config/load.ts';
import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import type { HealthVerdict } from '../../model/fleet/health.ts';
import type { PageTokens } from '../../server/api/page-token.ts';
import type { Principal } from '../../server/api/principal.ts';
import { Refusal } from '../../server/api/problem.ts';
import type { FleetNumbers } from '../../server/metrics/fleet-numbers.ts';
import type { FleetView } from '../../server/view/fleet-view.ts';
import type { FleetStore } from '../fleet/fleet-store.ts';
import type { SharedStore } from '../shared-store.ts';

/** What operations work with. */
export interface ServeContext {
  readonly loaded: LoadedConfig;
  readonly shared: SharedStore;
  readonly fleet: FleetStore;
  readonly view: FleetView;
  /** The lists about exploitation. */
  readonly exploits: () => Promise<ExploitData>;
  readonly tokens: PageTokens;
  /** The numbers of all workers together. */
  readonly numbers: () => Promise<FleetNumbers>;
  /** The verdict of `lockhound health`. */
  readonly health: () => Promise<HealthVerdict>;
  /** A reading of events that failed. */
  readonly onEventFailure: (reason: string) => void;
}

/** The fleet in memory. Throws `Refusal` until it has been read. */
export function snapshotOf({ view }: Pick<ServeContext, 'view'>) {
  const snapshot = view.snapshot();
  if (snapshot !== undefined) return snapshot;
  throw new Refusal(503, 'view-loading', 'the fleet is being read: try again in a moment', { retryAfter: 1 });
}

/** Throws `Refusal` as for a target that does not exist, so that names of other teams' targets cannot be guessed. */
export function requireSeen(principal: Principal, target: string): void {
  if (!principal.sees(target)) throw unknownTarget(target);
}

/** Throws `Refusal` for a caller who sees some targets only, for what is about all of them. */
export function requireWholeFleet({ seesAll }: Principal): void {
  if (!seesAll) throw new Refusal(403, 'fleet-needed', 'this needs a token for all targets (`*`)');
}

/** Names no other target: the caller may not see it. */
export function unknownTarget(target: string): Refusal {
  return notFound(`there is no target ${target}`);
}

export function notFound(detail: string): Refusal {
  return new Refusal(404, 'not-found', detail);
}

/** `name=value` texts as labels. */
export function labelsOf(texts: readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  if (texts === undefined) return undefined;
  return Object.fromEntries(
    texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}
