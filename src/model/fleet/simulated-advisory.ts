import type { NotificationMode } from '../alert/notification.ts';
import type { RuleLevel } from '../scan/policy.ts';
import type { RatedSeverity, Severity } from '../scan/severity.ts';

/** What a new advisory about some package versions would reach. */
export interface SimulatedAdvisory {
  readonly severity: Severity;
  /** What an unrated one counts as. */
  readonly countsAs?: RatedSeverity;
  /** Of the rule `vulnerability` for targets without a level of their own: only `alert` sends. */
  readonly level: RuleLevel;
  /** All routes, with the number of targets whose change they would send. */
  readonly routes: readonly {
    readonly route: string;
    readonly mode: NotificationMode;
    readonly targets: number;
  }[];
  readonly targets: readonly ReachedTarget[];
  /** Ecosystems in which the text is neither a version nor a range that is understood. */
  readonly notCompared: readonly string[];
}

/** A target that holds one of the versions. */
export interface ReachedTarget {
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Purls that an advisory reaches. */
  readonly packages: readonly string[];
  /** Purls that are never looked up (private or unsupported): no advisory reaches them. */
  readonly excluded: readonly string[];
  /** Of the rule `vulnerability` for this target, where `policy.byLabel` has another one. */
  readonly level?: RuleLevel;
  /** Empty when nothing would be sent. */
  readonly routes: readonly string[];
}
