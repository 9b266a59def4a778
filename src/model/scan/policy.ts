import type { GateSettings } from './gate.ts';
import type { OwnerRule } from './owner.ts';
import type { RatedSeverity } from './severity.ts';

/** The level of a rule: no findings, a line in reports, or an alert. */
export const RULE_LEVELS = ['off', 'note', 'alert'] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];

export type TargetSuppressionLimit = 'off' | Exclude<RatedSeverity, 'none'>;

/** Settings of a rule in the configuration; absent ones are the rule's defaults. */
interface RuleSettings {
  readonly level?: RuleLevel | undefined;
  readonly severity?: RatedSeverity | undefined;
}

/** Licences by SPDX identifier; `*` matches any text. */
export interface LicensePolicy {
  /** Unset: all that are not denied. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** The configured part of judging (`policy`). */
export interface Policy {
  /** The severity that a finding counts as when its advisory has no score. */
  readonly unknownSeverity: RatedSeverity;
  /** How long a version may stay unindexed before that is an alert; milliseconds. */
  readonly unindexedAfter: number;
  /** The worst severity that targets may suppress themselves. */
  readonly targetSuppressions: TargetSuppressionLimit;
  /** How long a version counts as freshly published; milliseconds. */
  readonly minimumAge: number;
  /** Whether `lockhound scan` applies the suppressions of `lockhound ignore`, too. */
  readonly sharedSuppressions: boolean;
  /** How long a finding that counts as a severity may be open, in milliseconds. */
  readonly dueIn: Readonly<Partial<Record<RatedSeverity, number | undefined>>>;
  /** How many severities less a vulnerability in a development group counts. */
  readonly developmentStep: number;
  /** Unset: licences are not judged. */
  readonly licenses?: LicensePolicy | undefined;
  /** The decision of the gate by the code of a reason. Default: `GATE_DEFAULTS`. */
  readonly gate?: GateSettings | undefined;
  /** Owners of the findings of lockfiles that state none; the first rule that fits counts. */
  readonly owners?: readonly OwnerRule[];
  /** Settings by the name of the rule. */
  readonly rules: Readonly<Record<string, RuleSettings | undefined>>;
  /** Other settings of rules for targets with these labels; `*` matches any text. */
  readonly byLabel: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly licenses?: LicensePolicy | undefined;
    readonly gate?: GateSettings | undefined;
    readonly rules: Readonly<Record<string, RuleSettings | undefined>>;
  }[];
}
