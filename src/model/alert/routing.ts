import type { RatedSeverity } from '../scan/severity.ts';
import type { Transition } from '../scan/transition.ts';
import type { NotificationMode } from './notification.ts';

/** Conditions under which a change matches a route. A change has to meet all conditions that are present. */
export interface RouteMatch {
  /** Labels of the target, each with the values that match; `*` matches any text. */
  readonly labels?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly ecosystems?: readonly string[] | undefined;
  readonly minSeverity?: RatedSeverity | undefined;
  /** Names of policy rules. */
  readonly rules?: readonly string[] | undefined;
  readonly transitions?: readonly Transition[] | undefined;
  /** Whether the package is a direct dependency. */
  readonly direct?: boolean | undefined;
  /** Packages that are installed under these conditions alone (`dev`, `test`, …) do not match. */
  readonly withoutGroups?: readonly string[] | undefined;
  /** Owners of its lockfiles, any of them; `*` matches any text. */
  readonly owners?: readonly string[] | undefined;
  /** Whether a known change of the lockfile clears the finding. */
  readonly fixable?: boolean | undefined;
  /** Whether the issue is known to be exploited (KEV). */
  readonly kev?: boolean | undefined;
  /** At least this probability of exploitation, 0 to 1. For a resolution, when the finding was reported last. */
  readonly minEpss?: number | undefined;
}

/** A route: which changes are sent to its receiver, and how. */
export interface RouteRule {
  readonly name: string;
  readonly mode: NotificationMode;
  readonly match: RouteMatch;
  /** Matches only changes that no other route matches. */
  readonly rest: boolean;
}

/** How the findings of a target's first scan are sent: one summary for each route, like any other change, or not at all. */
export type FirstScan = 'summary' | 'all' | 'none';

/** The routes, and how changes are assigned to them. */
export interface Routing {
  /** A change is sent by every route that it matches, or only by the first one. */
  readonly take: 'all' | 'first';
  readonly firstScan: FirstScan;
  readonly rules: readonly RouteRule[];
}
