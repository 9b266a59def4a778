import { CONTRACT_DRIFT } from './contract-drift.ts';
import type { Rule } from './rule.ts';
import { deprecated } from './rules/deprecated.ts';
import { unindexed } from './rules/unindexed.ts';
import { vanished } from './rules/vanished.ts';
import { vulnerability } from './rules/vulnerability.ts';

/** All rules. */
export const RULES: readonly Rule[] = [vulnerability, vanished, unindexed, deprecated];

/** The names that `rule` of a finding can have. */
export const RULE_NAMES: readonly string[] = [...RULES.map(({ name }) => name), CONTRACT_DRIFT];
