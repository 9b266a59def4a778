import type { RestDescription, SchemaDescription } from '../discovery/description/description.ts';
import { durationText } from '../model/duration.ts';
import { isObject, type JsonObject } from '../model/json-object.ts';
import { printable } from '../model/printable.ts';
import { SEVERITIES } from '../model/scan/severity.ts';
import type { Palette, TextOptions } from './layout.ts';

/** A value with its schema, which may be a reference. */
export interface Described {
  readonly value: unknown;
  readonly schema: SchemaDescription;
  /** The properties that are shown of an object, or of the items of a list, in this order. Default: all, in the order of the schema. */
  readonly shown?: readonly string[] | undefined;
}

/** The schema of an answer, and those of its description document. */
export interface AnswerSchema {
  readonly schema: SchemaDescription;
  readonly schemas: RestDescription['schemas'];
  /** Whether the service leaves out a value that does not exist, as our own API does. Other services leave out values that they do not know. */
  readonly leavesOut?: boolean;
  /** The properties that are shown of the items of lists, in their order and separated by spaces, by the name of the list. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
}

/** The properties of an object in the order of its schema, with their names. */
export type Properties = readonly (Described & { readonly name: string })[];

/** The context that every function here needs. */
export interface Page extends TextOptions {
  readonly schemas: NonNullable<RestDescription['schemas']>;
  readonly leavesOut: boolean;
  readonly columns: AnswerSchema['columns'] & {};
  readonly paint: Palette;
}

/** Shown for a value that an answer does not have, or that cannot be read: services send defaults, so an absent value is not 0. */
export const UNKNOWN = 'unknown';

/**
 * Values of the package-insights API that state nothing, by schema and property: a score of 0 without a vector is a default, and a
 * negative one means that the check did not run.
 */
const NO_STATEMENT: Readonly<Record<string, (of: JsonObject) => boolean>> = {
  'Advisory.cvss3Score': ({ cvss3Score, cvss3Vector = '' }) => cvss3Score === 0 && cvss3Vector === '',
  'ScorecardCheck.score': ({ score }) => typeof score === 'number' && score < 0,
};

/**
 * Whether a value states something. An absent text or object does not. An absent number, boolean or list is unknown, and stated as such,
 * unless `leavesOut` is set.
 */
export function isStated({ value, schema }: Described, { leavesOut }: Page): boolean {
  return value !== undefined || (!leavesOut && (schema.type === 'array' || isScalarType(schema.type)));
}

export function isScalarType(type: string | undefined): boolean {
  return type === 'boolean' || type === 'integer' || type === 'number';
}

/** Whether the members of an object have names that its schema does not know. */
function isMap({ schema }: Described, page: Page): boolean {
  const { properties, additionalProperties } = resolve(schema, page);
  return properties === undefined && additionalProperties !== undefined;
}

/** A short object that is read without labels: a key of a package, version, project or advisory, or an object with a single text. */
export function isKey({ value, schema, shown }: Described, page: Page): boolean {
  if (shown !== undefined) return true;
  const members = Object.values(value as JsonObject);
  const isNamed = schema.$ref?.endsWith('Key') === true;
  const properties = propertiesOf({ value, schema }, page);
  if (isMap({ value, schema }, page))
    return members.every((member) => !isObject(member) && !Array.isArray(member));
  if (members.some((member) => typeof member !== 'string' && !isObject(member))) return false;
  if (!isNamed && properties.length !== 1) return false;
  return properties.every((one) => !isObject(one.value) || isKey(one, page));
}

export function cellOf(
  { value, schema, shown, name = '' }: Described & { readonly name?: string },
  page: Page,
): string {
  if (value === undefined) return isStated({ value, schema }, page) ? UNKNOWN : '';
  if (Array.isArray(value)) {
    const of = resolve(schema, page).items ?? {};
    return value.length === 0
      ? 'none'
      : value
          .map((item) => cellOf({ value: item, schema: of, shown }, page))
          .join(name.endsWith('Path') ? ' › ' : ', ');
  }
  if (isObject(value) && isMap({ value, schema }, page))
    return bySeverity(value)
      .map(([name, one]) => printable(`${name}${typeof one === 'string' ? '=' : ' '}${String(one)}`))
      .join(', ');
  if (isObject(value)) {
    const texts = propertiesOf({ value, schema, shown }, page).map((one) => cellOf(one, page));
    return texts.filter((text) => text !== '').join(' ');
  }
  const text = printable(scalarText(value, resolve(schema, page)));
  if (schema.enum === undefined) return text;
  const severity = SEVERITIES.find((one) => one === text);
  if (severity !== undefined) return page.paint.severity(severity, text);
  return FAULTS.has(text) ? page.paint.bad(text) : text;
}

/** The members of a map; numbers by severity begin with the worst. */
function bySeverity(map: JsonObject): readonly (readonly [string, unknown])[] {
  const names: readonly string[] = SEVERITIES;
  const rankOf = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.entries(map).toSorted(([left], [right]) => rankOf(left) - rankOf(right));
}

/** Values of enumerations that are shown as errors. */
const FAULTS: ReadonlySet<string> = new Set(['failed', 'held', 'invalid', 'gone', 'broken', 'block']);

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

/** The properties that are shown, or those of the schema in its order and then others that the value has. */
export function propertiesOf({ value, schema, shown }: Described, page: Page): Properties {
  const { properties = {}, additionalProperties = {}, id = '' } = resolve(schema, page);
  const of = isObject(value) ? value : {};
  const others = Object.keys(of).filter((name) => !Object.hasOwn(properties, name));
  const said = (name: string): unknown =>
    Object.hasOwn(of, name) && NO_STATEMENT[`${id}.${name}`]?.(of) !== true ? of[name] : undefined;
  return (shown ?? [...Object.keys(properties), ...others]).map((name) => {
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const own = timed(name, said(name) ?? undefined, part ?? additionalProperties);
    return {
      name,
      ...own,
      shown: Object.hasOwn(page.columns, name) ? page.columns[name]?.split(' ') : undefined,
    };
  });
}

/** Milliseconds as a duration: `6h`, `90m`, `12ms`. */
function timed(name: string, value: unknown, schema: SchemaDescription): Described {
  if (!/[a-z]Ms$/.test(name) || typeof value !== 'number') return { value, schema };
  return { value: durationText(value), schema: { type: 'string' } };
}

export function resolve(schema: SchemaDescription, { schemas }: Page): SchemaDescription {
  const { $ref } = schema;
  return $ref === undefined ? schema : { id: $ref, ...schemas[$ref] };
}

/** `publishedAt` is `published at`. */
export function labelOf(name: string): string {
  return printable(
    name
      .replace(/(?<=[a-z])Ms$/, '')
      .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
      .toLowerCase(),
  );
}

/** Says whether a column has nothing to show: absent texts, empty ones, and lists and maps without members. */
export function isEmpty({ value, schema }: Described, { leavesOut }: Page): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return (
    value === '' || value === false || (value === undefined && (leavesOut || !isScalarType(schema.type)))
  );
}

/** Whether a value takes one line, or one for each item: a scalar, a short object of texts, or a list of them. */
export function isLine({ value, schema, shown }: Described, page: Page): boolean {
  if (Array.isArray(value)) {
    const of = resolve(schema, page).items ?? {};
    const isLineOf = (item: JsonObject) => {
      const own = shown?.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]] as const] : []));
      return isKey({ value: own === undefined ? item : Object.fromEntries(own), schema: of }, page);
    };
    return value.every((item) => !Array.isArray(item) && (!isObject(item) || isLineOf(item)));
  }
  return !isObject(value) || isKey({ value, schema, shown }, page);
}
