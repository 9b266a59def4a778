import type { Transition } from '../scan/change.ts';
import type { RatedSeverity } from '../scan/finding.ts';
import type { NotificationMode } from './notification.ts';

/** What a change has to be for a route to take it; what is left out does not matter. All that is there has to fit. */
export interface RouteMatch {
  /** Labels of the target, each with the values that match; `*` matches any text. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly ecosystems?: readonly string[] | undefined;
  readonly minSeverity?: RatedSeverity | undefined;
  /** Names of policy rules. */
  readonly rules?: readonly string[] | undefined;
  readonly transitions?: readonly Transition[] | undefined;
}

/** A way for changes to a receiver. */
export interface RouteRule {
  readonly name: string;
  readonly mode: NotificationMode;
  readonly match: RouteMatch;
  /** Takes only what no other route takes. */
  readonly rest: boolean;
}

/** How the findings of a target's first scan are sent: one summary for each route, like any other change, or not at all. */
export type FirstScan = 'summary' | 'all' | 'none';

/** Where changes go. */
export interface Routing {
  /** A change goes by every route that fits, or only by the first one. */
  readonly take: 'all' | 'first';
  readonly firstScan: FirstScan;
  readonly rules: readonly RouteRule[];
}
