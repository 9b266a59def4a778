import type { Severity } from '../scan/severity.ts';
import type { NamedRelease } from './release.ts';

/** A target in a list. */
export interface ListedTarget {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of its lockfiles. */
  readonly lockfiles: number;
  readonly packages: number;
  /** Open findings by severity, without notes; severities without any are absent. */
  readonly open: Readonly<Partial<Record<Severity, number>>>;
  /** RFC 3339: when its newest judged scan was requested. */
  readonly requestedAt: string;
  /** The release, when the target is one. */
  readonly release?: ListedRelease;
  /** Its last scan could not see everything. */
  readonly incomplete: boolean;
  /** The last answer about one of its packages is older than `watch.staleAfter`. */
  readonly stale: boolean;
}

/** A release in a list. */
export interface ListedRelease extends NamedRelease {
  /** The last day on which it is judged with the fleet; absent without such a day. */
  readonly supportedUntil?: string;
  /** Whether that day has not passed. */
  readonly supported: boolean;
}
