import { z } from 'zod';
import { ECOSYSTEMS } from '../../model/lockfile/ecosystem.ts';
import { TRANSITIONS } from '../../model/scan/transition.ts';
import { PRESETS } from '../../notify/presets/catalog.ts';
import { RULE_NAMES } from '../../policy/catalog.ts';
import { durationOf, severity } from '../values.ts';

/** `default` is the route of `notify.webhook`; `digest` is a part of Redis keys. */
const RESERVED_ROUTES: ReadonlySet<string> = new Set(['default', 'digest']);

const LEAST_EVERY_MS = 60_000;

/** Presets whose receivers have no address in common. */
const NEEDS_URL: ReadonlySet<string> = new Set(
  PRESETS.filter(({ url }) => url === undefined).map(({ name }) => name),
);

export const variableName = z.string().regex(/^[A-Z0-9_]+$/, 'upper-case letters, digits and underscores');

/** The time to render an alert grows with this limit, and no receiver accepts more. */
export const maxBytes = z.int().min(1_024).max(4_194_304);

export const webhook = z
  .strictObject({
    name: z
      .string()
      .regex(/^\S{1,200}$/, 'a name without spaces')
      .optional()
      .describe('Default: `lockhound`, or `lockhound-` and the name of the route.'),
    preset: z
      .enum(PRESETS.map(({ name }) => name))
      .optional()
      .describe('Kind of receiver. Default: `generic`.'),
    secretVariable: variableName
      .optional()
      .describe("Name of the variable with the receiver's secret. Default: that of the preset."),
    url: z
      .string()
      .min(1)
      .optional()
      .describe('Address of the receiver. May use `$VARIABLES`. Most presets have a default.'),
    headers: z.record(z.string(), z.string()).optional().describe('Extra headers. May use `$VARIABLES`.'),
    payload: z
      .string()
      .nullable()
      .optional()
      .describe("JSON template. Default: that of the preset. null: the platform's default payload."),
    encodeAs: z.enum(['json', 'form']).optional().describe('Encoding of the payload. Default: `json`.'),
    mode: z
      .enum(['digest', 'change', 'periodic', 'advisory'])
      .optional()
      .describe(
        'One alert per scan, per change, per period (`every`), or per issue over all targets. Default: that of the preset.',
      ),
    maxBytes: maxBytes.optional().describe('Size limit of an alert in bytes. Default: `notify.maxBytes`.'),
    every: durationOf('24h').describe('Time between two digests of mode `periodic`.'),
    reminders: z
      .boolean()
      .optional()
      .describe(
        'Whether it gets reminders (`notify.remindAfter`). Default: not for receivers that keep an alert or an issue open.',
      ),
  })
  .refine(({ every }) => every >= LEAST_EVERY_MS, { error: 'at least `1m`', path: ['every'] })
  .refine(({ url, preset }) => url !== undefined || !NEEDS_URL.has(preset ?? 'generic'), {
    error: 'the address of the receiver, such as `https://alerts.example/hook`',
    path: ['url'],
  });

/** A single string or a list. */
const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).min(1));

const texts = oneOrMore(z.string());

/** The schema accepts existing names only: a route with a misspelled name would silently match nothing. */
function namesOf(what: string, known: readonly string[]) {
  const name = z.string().refine((text) => known.includes(text), {
    error: ({ input }) => `no ${what} is named ${JSON.stringify(input)}; there are ${known.join(', ')}`,
  });
  return oneOrMore(name);
}

export const route = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'letters, digits, `_` and `-`, beginning with a letter')
    .refine((name) => !RESERVED_ROUTES.has(name), { error: 'a name other than `default` and `digest`' })
    .describe('Name of the route.'),
  match: z
    .strictObject({
      labels: z
        .record(z.string(), texts)
        .optional()
        .describe('Labels of the target; a value or a list, `*` matches any text.'),
      ecosystems: namesOf('ecosystem', ECOSYSTEMS).optional().describe('Ecosystems of the package.'),
      minSeverity: severity.optional().describe('At least this severity.'),
      rules: namesOf('rule', RULE_NAMES).optional().describe('Rules of the finding.'),
      transitions: oneOrMore(z.enum(TRANSITIONS))
        .optional()
        .describe('Transitions of the finding. Default: all but `suppressed`.'),
      direct: z
        .boolean()
        .optional()
        .describe('Whether the package is a direct dependency. Where that is not known, both fit.'),
      withoutGroups: texts
        .optional()
        .describe('Not packages that are installed in these groups alone, such as `dev`.'),
      owners: texts.optional().describe('Owners of the lockfile, such as `@acme/web`; `*` matches any text.'),
      fixable: z
        .boolean()
        .optional()
        .describe('Whether a known upgrade clears the finding. Sent once that is known.'),
      kev: z
        .boolean()
        .optional()
        .describe('Whether the issue is known to be exploited (KEV). Where that is not known, both fit.'),
      minEpss: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .describe('At least this probability of exploitation. A CVE without a score fits.'),
    })
    .default({}),
  webhook,
});

export type WebhookConfig = z.infer<typeof webhook>;
