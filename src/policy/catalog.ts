import { contractDriftText } from './contract-drift.ts';
import type { Rule, RuleText } from './rule.ts';
import { baseImage } from './rules/base-image.ts';
import { deprecated } from './rules/deprecated.ts';
import { downgraded } from './rules/downgraded.ts';
import { licenseChanged } from './rules/license-changed.ts';
import { licenses } from './rules/licenses.ts';
import { quarantined } from './rules/quarantined.ts';
import { staleException } from './rules/stale-exception.ts';
import { SIGNAL_RULES, suspicious } from './rules/suspicious.ts';
import { unindexed } from './rules/unindexed.ts';
import { unwatched } from './rules/unwatched.ts';
import { vanished } from './rules/vanished.ts';
import { vulnerability } from './rules/vulnerability.ts';
import { staleFactsText } from './stale-facts.ts';

export const RULES: readonly Rule[] = [
  vulnerability,
  suspicious,
  vanished,
  quarantined,
  unindexed,
  deprecated,
  downgraded,
  licenses,
  licenseChanged,
  unwatched,
  baseImage,
  staleException,
  ...SIGNAL_RULES,
];

/** The rules about Lockhound itself: jobs of their own find them, and `policy.rules` does not change them. */
export const OWN_RULES: readonly RuleText[] = [contractDriftText, staleFactsText];

/** The names that `rule` of a finding can have. */
export const RULE_NAMES: readonly string[] = [...RULES, ...OWN_RULES].map(({ name }) => name);

/** The heading of a rule's findings. */
export function ruleTitle(rule: string): string {
  return [...RULES, ...OWN_RULES].find(({ name }) => name === rule)?.title ?? rule;
}
