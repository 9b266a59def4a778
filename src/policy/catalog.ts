import type { Rule } from './rule.ts';
import { deprecated } from './rules/deprecated.ts';
import { missing } from './rules/missing.ts';
import { vulnerability } from './rules/vulnerability.ts';

/** Every rule there is. */
export const RULES: readonly Rule[] = [vulnerability, missing, deprecated];
