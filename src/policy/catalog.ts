import { CONTRACT_DRIFT } from './contract-drift.ts';
import type { Rule } from './rule.ts';
import { baseImage } from './rules/base-image.ts';
import { deprecated } from './rules/deprecated.ts';
import { downgraded } from './rules/downgraded.ts';
import { licenseChanged } from './rules/license-changed.ts';
import { licenses } from './rules/licenses.ts';
import { SIGNAL_RULES, suspicious } from './rules/suspicious.ts';
import { unindexed } from './rules/unindexed.ts';
import { unwatched } from './rules/unwatched.ts';
import { vanished } from './rules/vanished.ts';
import { vulnerability } from './rules/vulnerability.ts';
import { STALE_FACTS } from './stale-facts.ts';

/** All rules. */
export const RULES: readonly Rule[] = [
  vulnerability,
  suspicious,
  vanished,
  unindexed,
  deprecated,
  downgraded,
  licenses,
  licenseChanged,
  unwatched,
  baseImage,
  ...SIGNAL_RULES,
];

/** The names that `rule` of a finding can have. */
export const RULE_NAMES: readonly string[] = [...RULES.map(({ name }) => name), CONTRACT_DRIFT, STALE_FACTS];
