import type { RestDescription, SchemaDescription } from '../discovery/description/description.ts';
import { isObject, type JsonObject } from '../model/json-object.ts';
import { printable } from '../model/printable.ts';
import { columns, fitLines, hang, type Palette, palette, stringWidth, type TextOptions } from './layout.ts';

/** A value with its schema, which may be a reference. */
interface Described {
  readonly value: unknown;
  readonly schema: SchemaDescription;
}

/** The schema of an answer, and those of its description document. */
export interface AnswerSchema {
  readonly schema: SchemaDescription;
  readonly schemas: RestDescription['schemas'];
  /** Whether an absent value says that there is none, as in our own API. Other services leave out what they do not know. */
  readonly leavesOut?: boolean;
}

/** The properties of an object in the order of its schema, with their names. */
type Properties = readonly (Described & { readonly name: string })[];

/** The context that every function here needs. */
interface Page extends TextOptions {
  readonly schemas: NonNullable<RestDescription['schemas']>;
  readonly leavesOut: boolean;
  readonly paint: Palette;
}

function pageOf({ schemas = {}, leavesOut = false }: AnswerSchema, options: TextOptions): Page {
  return { ...options, schemas, leavesOut, paint: palette(options.colour) };
}

/** Shown for a value that an answer does not have, or that cannot be read: services send defaults, so an absent value is not 0. */
const UNKNOWN = 'unknown';

/** The last column of a table gets at least this width. */
const LEAST_LAST = 20;

/**
 * Values of the package-insights API that state nothing, by schema and property: a score of 0 without a vector is a default, and a
 * negative one means that the check did not run.
 */
const NO_STATEMENT: Readonly<Record<string, (of: JsonObject) => boolean>> = {
  'Advisory.cvss3Score': ({ cvss3Score, cvss3Vector = '' }) => cvss3Score === 0 && cvss3Vector === '',
  'ScorecardCheck.score': ({ score }) => typeof score === 'number' && score < 0,
};

/**
 * Any answer of an API as text for a person: the schemas of its description document give the order, the labels and the kinds of values.
 * A list of flat objects is a table; other objects are blocks.
 */
export function answerText(value: unknown, answer: AnswerSchema, options: TextOptions): string {
  const page = pageOf(answer, options);
  return fitLines(blockOf(onlyMember({ value, schema: answer.schema }, page), '', page), options);
}

/** Some properties of a described object in one line, each with its label when the value alone does not say what it is. */
export function answerLine(
  value: unknown,
  answer: AnswerSchema,
  names: readonly string[],
  shows: (text: string) => boolean,
): string {
  const page = pageOf(answer, { colour: false, width: Number.POSITIVE_INFINITY });
  const properties = propertiesOf(onlyMember({ value, schema: answer.schema }, page), page);
  return names
    .flatMap((name) => properties.filter((one) => one.name === name))
    .map((one) => shortText(one, page))
    .filter((text) => text !== '' && shows(text))
    .join('  ');
}

function shortText({ name, value, schema }: Described & { readonly name: string }, page: Page): string {
  const label = labelOf(name);
  if (value === false) return '';
  if (value === true) return label;
  if (Array.isArray(value) && value.length === 0) return `no ${label}`;
  const text = cellOf({ value, schema }, page);
  return text === UNKNOWN || typeof value === 'number' ? `${text} ${label}` : text;
}

/** A value with its label, which no heading of a column says. Nothing for one that is absent or no. */
function labelledText(one: Properties[number], page: Page): readonly string[] {
  const text = isEmpty(one, page) ? '' : cellOf(one, page);
  if (text === '') return [];
  return one.value === true ? [labelOf(one.name)] : [`${page.paint.faint(labelOf(one.name))} ${text}`];
}

/** The member of an object that has only one, as the answer to a purl has a package or a version; otherwise the value itself. */
function onlyMember({ value, schema }: Described, page: Page): Described {
  if (!isObject(value)) return { value, schema };
  const [name = '', ...others] = Object.keys(value);
  const member = value[name];
  const of = resolve(schema, page).properties?.[name];
  return others.length === 0 &&
    isObject(member) &&
    of !== undefined &&
    !isLine({ value: member, schema: of }, page)
    ? { value: member, schema: of }
    : { value, schema };
}

/**
 * An object begins with a heading when it has one; values of one line follow, then everything else in its own block. The heading is
 * its key, and for an item of a list its first value of one line.
 */
function blockOf(described: Described, indent: string, page: Page, isItem = false): readonly string[] {
  if (isLine(described, page)) return [indent + cellOf(described, page)];
  if (Array.isArray(described.value)) return itemLines(described, indent, page);
  const properties = propertiesOf(described, page).filter((one) => isStated(one, page));
  const first = properties.find((one) => isLine(one, page) && !isEmpty(one, page));
  const heading = isItem || first?.name.endsWith('Key') === true ? first : undefined;
  const inner = heading === undefined ? indent : `${indent}  `;
  const lines = properties.filter((one) => one !== heading && isLine(one, page));
  const rows = lines.flatMap((one) => labelledRows(one, page)).filter(([, text]) => text !== '');
  const blocks = properties.flatMap((one) => {
    if (isLine(one, page)) return [];
    const block = blockOf(one, `${inner}  `, page);
    const count = Array.isArray(one.value) ? ` (${one.value.length})` : '';
    return block.length === 0 ? [] : [inner + page.paint.faint(labelOf(one.name) + count), ...block];
  });
  return [
    ...(heading === undefined ? [] : [indent + page.paint.strong(cellOf(heading, page))]),
    ...columns(rows, { width: page.width, indent: inner }),
    ...blocks,
  ];
}

/** An absent text or object states nothing; an absent number, boolean or list is unknown, unless the service leaves out what there is none of. */
function isStated({ value, schema }: Described, { leavesOut }: Page): boolean {
  return value !== undefined || (!leavesOut && (schema.type === 'array' || isScalarType(schema.type)));
}

function isScalarType(type: string | undefined): boolean {
  return type === 'boolean' || type === 'integer' || type === 'number';
}

function labelledRows(one: Properties[number], page: Page): readonly (readonly [string, string])[] {
  const label = page.paint.faint(labelOf(one.name));
  if (!Array.isArray(one.value) || one.value.length === 0) return [[label, cellOf(one, page)]];
  const schema = resolve(one.schema, page).items ?? {};
  return one.value.map((value, index) => [index === 0 ? label : '', cellOf({ value, schema }, page)]);
}

function itemLines({ value, schema }: Described, indent: string, page: Page): readonly string[] {
  const of = resolve(schema, page).items ?? {};
  const items = (value as readonly unknown[]).map((item) => ({ value: item, schema: of }));
  const rows = items.map((item) => propertiesOf(item, page));
  const table = items.every((item) => isObject(item.value)) ? tableOf(rows, indent, page) : undefined;
  return table ?? items.flatMap((item) => blockOf(item, indent, page, true));
}

/**
 * Columns without a value in any row are left out. Where the width is too small for columns, a row is its first value and the others in
 * one text. `undefined` when a value needs more than a line.
 */
function tableOf(rows: readonly Properties[], indent: string, page: Page): readonly string[] | undefined {
  const shown = rows.flatMap((row) => row.filter((one) => !isEmpty(one, page)));
  if (shown.some((one) => !isLine(one, page))) return undefined;
  const names = new Set(shown.map(({ name }) => name));
  const labels = [...new Set(rows.flat().map(({ name }) => name))].filter((name) => names.has(name));
  const found = rows.map((row) => labels.map((label) => row.find(({ name }) => name === label)));
  const isPlain =
    labels.length < 3 && shown.every(({ value }) => typeof value === 'string' || isObject(value));
  const table = [
    ...(isPlain ? [] : [labels.map((label) => page.paint.faint(labelOf(label)))]),
    ...found.map((row) => row.map((one) => (one === undefined ? '' : cellOf(one, page)))),
  ];
  const widths = labels.map((_, index) => Math.max(...table.map((row) => stringWidth(row[index] ?? ''))));
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, indent.length);
  if (labels.length < 3 || fixed + Math.min(LEAST_LAST, widths.at(-1) ?? 0) <= page.width) {
    return columns(table, { width: page.width, indent });
  }
  return found.flatMap(([first, ...others]) => {
    const rest = others.flatMap((one) => (one === undefined ? [] : labelledText(one, page)));
    return hang(`${indent}${first === undefined ? '' : cellOf(first, page)}  `, rest.join(', '), page.width);
  });
}

/** Says whether a column has nothing to show: absent texts, empty ones, and lists without items. */
function isEmpty({ value, schema }: Described, { leavesOut }: Page): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === '' || value === false || (value === undefined && (leavesOut || !isScalarType(schema.type)))
  );
}

/** Whether a value takes one line, or one for each item: a scalar, a short object of texts, or a list of them. */
function isLine({ value, schema }: Described, page: Page): boolean {
  if (Array.isArray(value)) {
    const of = resolve(schema, page).items ?? {};
    return value.every(
      (item) => !Array.isArray(item) && (!isObject(item) || isKey({ value: item, schema: of }, page)),
    );
  }
  return !isObject(value) || isKey({ value, schema }, page);
}

/** Whether the members of an object have names that its schema does not know. */
function isMap({ schema }: Described, page: Page): boolean {
  const { properties, additionalProperties } = resolve(schema, page);
  return properties === undefined && additionalProperties !== undefined;
}

/** A short object that is read without labels: a key of a package, version, project or advisory, or an object with a single text. */
function isKey({ value, schema }: Described, page: Page): boolean {
  const members = Object.values(value as JsonObject);
  const isNamed = schema.$ref?.endsWith('Key') === true;
  const properties = propertiesOf({ value, schema }, page);
  if (isMap({ value, schema }, page))
    return members.every((member) => !isObject(member) && !Array.isArray(member));
  if (members.some((member) => typeof member !== 'string' && !isObject(member))) return false;
  if (!isNamed && properties.length !== 1) return false;
  return properties.every((one) => !isObject(one.value) || isKey(one, page));
}

function cellOf({ value, schema }: Described, page: Page): string {
  if (value === undefined) return isStated({ value, schema }, page) ? UNKNOWN : '';
  if (Array.isArray(value)) {
    const of = resolve(schema, page).items ?? {};
    return value.length === 0
      ? 'none'
      : value.map((item) => cellOf({ value: item, schema: of }, page)).join(', ');
  }
  if (isObject(value) && isMap({ value, schema }, page))
    return Object.entries(value)
      .map(([name, one]) => printable(`${name} ${String(one)}`))
      .join(', ');
  if (isObject(value)) {
    const texts = propertiesOf({ value, schema }, page).map((one) => cellOf(one, page));
    return texts.filter((text) => text !== '').join(' ');
  }
  const text = printable(scalarText(value, resolve(schema, page)));
  return schema.enum === undefined || !FAULTS.has(text) ? text : page.paint.bad(text);
}

/** Values of enumerations that somebody has to look at. */
const FAULTS: ReadonlySet<string> = new Set(['failed', 'held', 'invalid', 'gone', 'broken']);

function scalarText(value: unknown, { type, format }: SchemaDescription): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 4 });
  const text = String(value);
  if (format === 'google-datetime' || format === 'date-time') return timeText(text);
  // A 64-bit number is text in JSON.
  if (type === 'string' && /^u?int64$/.test(format ?? '') && /^-?\d{1,20}$/.test(text)) {
    return BigInt(text).toLocaleString('en');
  }
  return text;
}

/** `2020-08-13 16:53 UTC`, or the day alone for midnight; a text that is not an RFC 3339 time is not changed. */
function timeText(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return text;
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) return text;
  const [day = '', time = ''] = instant.toISOString().split('T');
  return time.startsWith('00:00:00') ? day : `${day} ${time.slice(0, 5)} UTC`;
}

/** The properties of the schema in its order, then others that the value has. */
function propertiesOf({ value, schema }: Described, page: Page): Properties {
  const { properties = {}, additionalProperties = {}, id = '' } = resolve(schema, page);
  const of = isObject(value) ? value : {};
  const others = Object.keys(of).filter((name) => !Object.hasOwn(properties, name));
  const said = (name: string): unknown =>
    Object.hasOwn(of, name) && NO_STATEMENT[`${id}.${name}`]?.(of) !== true ? of[name] : undefined;
  return [
    ...Object.entries(properties).map(([name, part]) => ({ name, ...timed(name, said(name), part) })),
    ...others.map((name) => ({ name, value: of[name], schema: additionalProperties })),
  ];
}

/** Milliseconds as a duration: `6h`, `90m`, `12ms`. */
function timed(name: string, value: unknown, schema: SchemaDescription): Described {
  if (!/[a-z]Ms$/.test(name) || typeof value !== 'number') return { value, schema };
  const [unit, size] = UNITS.find(([, one]) => value >= one && value % one === 0) ?? ['ms', 1];
  return { value: `${value / size}${unit}`, schema: { type: 'string' } };
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

function resolve(schema: SchemaDescription, { schemas }: Page): SchemaDescription {
  const { $ref } = schema;
  return $ref === undefined ? schema : { id: $ref, ...schemas[$ref] };
}

/** `publishedAt` is `published at`. */
function labelOf(name: string): string {
  return printable(
    name
      .replace(/(?<=[a-z])Ms$/, '')
      .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .toLowerCase(),
  );
}
