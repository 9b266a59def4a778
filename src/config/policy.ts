import { z } from 'zod';
import { RULE_LEVELS } from '../model/scan/policy.ts';
import { RULES } from '../policy/catalog.ts';
import { seconds } from './duration.ts';
import { severity } from './severity.ts';

const level = z.enum(RULE_LEVELS).optional().describe('`off`, `note` (reported only) or `alert`.');

/** The severity of a rule can be set where its findings have none of their own. */
const ruleSettings = RULES.map(({ name, title, severity: own }) => {
  const settings =
    own === undefined
      ? z.strictObject({ level })
      : z.strictObject({ level, severity: severity.optional().describe('Severity of its findings.') });
  return [name, settings.optional().describe(`${title}.`)] as const;
});

/** How findings are judged. */
export const policy = z.strictObject({
  unknownSeverity: severity
    .default('medium')
    .describe('What a finding counts as for exit codes and routes when its advisory has no score.'),
  unindexedAfter: seconds('14d').describe('A version that the index does not have for longer is an alert.'),
  rules: z
    .strictObject(Object.fromEntries(ruleSettings))
    .prefault({})
    .describe('Level and severity by rule.'),
});
