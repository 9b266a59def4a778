import type { RatedSeverity } from './finding.ts';

/** The level of a rule: no findings, a line in reports, or an alert. */
export const RULE_LEVELS = ['off', 'note', 'alert'] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];

/** Settings of a rule in the configuration; absent ones are the rule's defaults. */
interface RuleSettings {
  readonly level?: RuleLevel | undefined;
  readonly severity?: RatedSeverity | undefined;
}

/** The configured part of judging (`policy`). */
export interface Policy {
  /** The severity that a finding counts as when its advisory has no score. */
  readonly unknownSeverity: RatedSeverity;
  /** How long a version may stay unindexed before that is an alert; milliseconds. */
  readonly unindexedAfter: number;
  /** By the name of the rule. */
  readonly rules: Readonly<Record<string, RuleSettings | undefined>>;
}
