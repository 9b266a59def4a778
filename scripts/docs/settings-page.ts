import { z } from 'zod';
import { unwrap } from '../../src/config/as-written.ts';
import { configSchema } from '../../src/config/schema.ts';
import { settings } from '../../src/config/variables.ts';
import { cell, codes, row, table } from './markdown.ts';

interface Row {
  readonly path: string;
  readonly description: string;
  readonly fallback: unknown;
  readonly values: readonly string[];
}

const HEAD = `<!-- Written by \`npm run generate\` from the schema of the configuration. -->

# All settings

Every setting of \`lockhound.yaml\`, with its default. [Configuration](../configuration.md) shows a file and says where it is read from.

A setting marked with * can also be set by an environment variable: \`LOCKHOUND_\` and the path in capitals, so that \`insights.recordTtl\` is
\`LOCKHOUND_INSIGHTS_RECORD_TTL\`. Lists have commas in a variable. \`[]\` is an entry of a list, \`<name>\` a name that you choose. A secret is a reference: \`{ env: NAME }\` or \`{ file: PATH }\`.
Durations are written as \`250ms\`, \`30s\`, \`5m\`, \`2h\` or \`14d\`.
`;

/** The page of all settings, from the schema. */
export function settingsPage(): string {
  const variables = new Set(settings().map(({ path }) => path.join('.')));
  const rows = withoutRepetitions(walk(configSchema, ''));
  const parts = [...new Set(rows.map(({ path }) => partOf(path)))].map((part) => {
    const own = rows.filter(({ path }) => partOf(path) === part);
    return `\n## ${part}\n\n${table(
      ['setting', 'default', 'meaning'],
      own.map((one) => rowOf(one, variables)),
    )}`;
  });
  return HEAD + parts.join('');
}

/** The settings of one rule stand for those of all, and those of one webhook for those of each route. */
function withoutRepetitions(rows: readonly Row[]): readonly Row[] {
  const seen = new Set<string>();
  return rows
    .map((one) => ({ ...one, path: one.path.replace(/\brules\.[a-z-]+(?=\.|$)/, 'rules.<rule>') }))
    .map((one) => (one.path === 'notify.routes[].webhook.name' ? LIKE_WEBHOOK : one))
    .filter(({ path }) => !path.endsWith('<rule>') && !path.startsWith('notify.routes[].webhook.'))
    .filter(({ path }) => !seen.has(path) && seen.add(path));
}

const LIKE_WEBHOOK: Row = {
  path: 'notify.routes[].webhook',
  description: 'The settings of `notify.webhook`.',
  fallback: undefined,
  values: [],
};

function partOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function rowOf({ path, description, fallback, values }: Row, variables: ReadonlySet<string>): string {
  const named = path.includes('<rule>') ? path.replace('<rule>', 'suspicious') : path;
  const star = variables.has(named) ? ' *' : '';
  const among = values.length === 0 ? '' : ` One of ${codes(values)}.`;
  const [name = path, kind = ''] = path.split(/(?= \(kind)/);
  return row([`\`${name}\`${kind}${star}`, defaultText(fallback), cell(`${description}${among}`.trim())]);
}

function defaultText(fallback: unknown): string {
  if (fallback === undefined) return '–';
  if (Array.isArray(fallback) && fallback.every((item) => typeof item === 'string')) {
    return fallback.length === 0 ? 'empty' : codes(fallback);
  }
  if (typeof fallback === 'object' && fallback !== null && Object.keys(fallback).length === 0) return '–';
  return codes([typeof fallback === 'string' ? fallback : JSON.stringify(fallback)]);
}

function walk(schema: z.ZodType, path: string): readonly Row[] {
  const { inner, fallback } = plain(schema);
  if (inner instanceof z.ZodObject) {
    const below = Object.entries(inner.shape).flatMap(([key, field]) =>
      walk(field as z.ZodType, path === '' ? key : `${path}.${key}`),
    );
    const description = schema.description ?? '';
    return description === '' ? below : [leaf(path, description), ...below];
  }
  const description = schema.description ?? inner.description ?? '';
  if (inner instanceof z.ZodDiscriminatedUnion) {
    return inner.options.flatMap((option) => walkOption(option as z.ZodObject, path));
  }
  const nested = nestedIn(inner, path);
  if (nested !== undefined) return description === '' ? nested : [leaf(path, description), ...nested];
  const values = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  return [{ path, description, fallback, values }];
}

/** The settings of one alternative, each with the value that selects it. */
function walkOption(option: z.ZodObject, path: string): readonly Row[] {
  const [kind = ''] = option.shape['kind'] instanceof z.ZodLiteral ? [...option.shape['kind'].values] : [];
  return walk(option, path)
    .filter((one) => !one.path.endsWith('.kind'))
    .map((one) => ({ ...one, path: `${one.path} (kind \`${String(kind)}\`)` }));
}

function leaf(path: string, description: string): Row {
  return { path, description, fallback: undefined, values: [] };
}

/** The settings of the entries of a list or map of objects; `undefined` for any other schema. */
function nestedIn(inner: z.ZodType, path: string): readonly Row[] | undefined {
  const [element, below] =
    inner instanceof z.ZodArray
      ? [inner.element as z.ZodType, `${path}[]`]
      : inner instanceof z.ZodRecord
        ? [inner.valueType as z.ZodType, `${path}.<name>`]
        : [undefined, ''];
  return element !== undefined && plain(element).inner instanceof z.ZodObject
    ? walk(element, below)
    : undefined;
}

/** The schema without optionality, defaults and conversions. */
function plain(schema: z.ZodType): { readonly inner: z.ZodType; readonly fallback: unknown } {
  let { inner, fallback } = unwrap(schema);
  if (schema instanceof z.ZodDefault) fallback = schema.def.defaultValue;
  while (inner instanceof z.ZodPipe) {
    const next = inner.def.in instanceof z.ZodTransform ? inner.def.out : inner.def.in;
    inner = next as z.ZodType;
  }
  return { inner, fallback };
}
