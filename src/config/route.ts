import { z } from 'zod';
import { PRESET_NAMES, type PresetName } from '../model/alert/preset-name.ts';
import { TRANSITIONS } from '../model/scan/change.ts';
import { ECOSYSTEMS } from '../model/scan/ecosystem.ts';
import { RULE_NAMES } from '../policy/catalog.ts';
import { seconds } from './duration.ts';
import { severity } from './severity.ts';

/** `default` is the route of `notify.webhook`; `digest` would be mistaken for a part of a key. */
const RESERVED_ROUTES: ReadonlySet<string> = new Set(['default', 'digest']);

const MINUTE_MS = 60_000;

/** Presets whose receivers each have an address of their own. */
const NEEDS_URL: ReadonlySet<PresetName> = new Set(['generic', 'github-repository-dispatch']);

export const variableName = z.string().regex(/^[A-Z0-9_]+$/, 'upper-case letters, digits and underscores');

/** Rendering an alert takes time in proportion, and receivers take no more. */
export const maxBytes = z.int().min(1_024).max(4_194_304);

export const webhook = z
  .strictObject({
    name: z
      .string()
      .regex(/^\S{1,200}$/, 'a name without spaces')
      .optional()
      .describe('Unset: `lockhound`, followed by the name of its route where it has one.'),
    preset: z.enum(PRESET_NAMES).optional().describe('Kind of receiver; unset: the generic event.'),
    secretVariable: variableName
      .optional()
      .describe("Name of the variable with the receiver's secret, in place of the preset's own."),
    url: z
      .string()
      .min(1)
      .optional()
      .describe('Where alerts go; may use `$VARIABLES`. Most presets have one of their own.'),
    headers: z.record(z.string(), z.string()).optional().describe('Extra headers; may use `$VARIABLES`.'),
    payload: z
      .string()
      .nullable()
      .optional()
      .describe(
        "JSON template; unset: the preset's, or the generic event; null: the platform's default payload.",
      ),
    encodeAs: z.enum(['json', 'form']).optional().describe('How the payload is sent; unset: as JSON.'),
    mode: z
      .enum(['digest', 'change', 'periodic'])
      .optional()
      .describe(
        "One alert a scan, a change, or a time (`every`); unset: the preset's, as a rule one a scan.",
      ),
    maxBytes: maxBytes.optional().describe('Largest body of an alert; unset: `notify.maxBytes`.'),
    every: seconds('24h').describe('Time between two digests of mode `periodic`.'),
  })
  .refine(({ every }) => every >= MINUTE_MS, { error: 'at least `1m`', path: ['every'] })
  .refine(({ url, preset }) => url !== undefined || !NEEDS_URL.has(preset ?? 'generic'), {
    error: 'the address of the receiver, such as `https://alerts.example/hook`',
    path: ['url'],
  });

/** Written as one text or as a list. */
const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).min(1));

const texts = oneOrMore(z.string());

/** Only names that exist: a route that waits for another one takes nothing, and nobody notices. */
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
    .refine((name) => !RESERVED_ROUTES.has(name), { error: 'a name other than `default` and `digest`' }),
  match: z
    .strictObject({
      labels: z.record(z.string(), texts).optional(),
      ecosystems: namesOf('ecosystem', ECOSYSTEMS).optional(),
      minSeverity: severity.optional(),
      rules: namesOf('rule', RULE_NAMES).optional(),
      transitions: oneOrMore(z.enum(TRANSITIONS)).optional(),
    })
    .default({}),
  webhook,
});

export type WebhookConfig = z.infer<typeof webhook>;
