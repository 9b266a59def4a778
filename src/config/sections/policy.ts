import { z } from 'zod';
import { GATE_DECISIONS, GATE_DEFAULTS } from '../../model/scan/gate.ts';
import { RULE_LEVELS } from '../../model/scan/policy.ts';
import { RULES } from '../../policy/catalog.ts';
import { bySeverity, durationOf, severity, targetLabels } from '../values.ts';
import { targetSuppressions } from './suppressions.ts';

const level = z.enum(RULE_LEVELS).optional().describe('`off`, `note` (reported only) or `alert`.');

/** The severity of a rule can be set where its findings have none of their own. */
const ruleSettings = RULES.map(({ name, description, severity: own }) => {
  const settings =
    own === undefined
      ? z.strictObject({ level })
      : z.strictObject({ level, severity: severity.optional().describe('Severity of its findings.') });
  return [name, settings.optional().describe(description)] as const;
});

const license = z
  .string()
  .regex(/^[\w.+*-]+(?: WITH [\w.*-]+)?$/, 'an SPDX identifier such as `MIT`, or a pattern such as `GPL-*`');

const licenses = z
  .strictObject({
    allow: z.array(license).max(1_000).optional().describe('Unset: all that are not denied.'),
    deny: z.array(license).max(1_000).default([]),
  })
  .refine(({ allow, deny }) => allow !== undefined || deny.length > 0, {
    error: 'licences that are allowed (`allow`), denied (`deny`), or both',
  });

/** The gate never allows what is not known. */
const gate = z.strictObject(
  Object.fromEntries(
    Object.keys(GATE_DEFAULTS).map((code) => {
      const least = code === 'missing' || code === 'unknown' ? 1 : 0;
      return [code, z.enum(GATE_DECISIONS.slice(least)).optional()];
    }),
  ),
);

/** How findings are judged. */
export const policy = z.strictObject({
  unknownSeverity: severity
    .default('medium')
    .describe('Severity that exit codes and routes use for a finding whose advisory has no score.'),
  unindexedAfter: durationOf('14d').describe(
    'A version that is missing from the index for longer than this becomes an alert.',
  ),
  targetSuppressions,
  minimumAge: durationOf('72h').describe(
    'A version that was published more recently than this when it was locked is fresh (rule `fresh-release`).',
  ),
  sharedSuppressions: z
    .boolean()
    .default(false)
    .describe(
      'Whether `lockhound scan` applies the suppressions of `lockhound ignore`, too: it then reads `redis.url`.',
    ),
  developmentStep: z
    .int()
    .min(0)
    .max(3)
    .default(0)
    .describe(
      'How many severities less a vulnerability counts in a package for development and tests alone (`dev`, `test`, `build`). Not malware.',
    ),
  dueIn: bySeverity
    .default({})
    .describe(
      'How long a finding of a severity may be open: reports and alerts show when it is due. Default: `notify.remindAfter`.',
    ),
  licenses: licenses.optional().describe('Licences that packages may have (rule `licenses`). Unset: any.'),
  gate: gate
    .prefault({})
    .describe('What `lockhound check` decides by the kind of a reason: `allow`, `warn` or `block`.'),
  rules: z
    .strictObject(Object.fromEntries(ruleSettings))
    .prefault({})
    .describe('Level and severity by rule.'),
  byLabel: z
    .array(
      z.strictObject({
        labels: targetLabels(),
        rules: z.strictObject(Object.fromEntries(ruleSettings)).default({}),
        licenses: licenses.optional().describe('In place of `policy.licenses`.'),
        gate: gate.optional().describe('In addition to `policy.gate`.'),
      }),
    )
    .max(1_000)
    .default([])
    .describe('Level and severity by rule, licences and the gate, for targets with these labels.'),
});
