import { isObject } from '../model/json-object.ts';
import {
  type AnswerSchema,
  cellOf,
  type Described,
  isKey,
  isScalarType,
  isStated,
  labelOf,
  type Page,
  type Properties,
  propertiesOf,
  resolve,
  UNKNOWN,
} from './answer-values.ts';
import { columns, fitLines, hang, palette, stringWidth, type TextOptions } from './layout.ts';

export type { AnswerSchema } from './answer-values.ts';

function pageOf({ schemas = {}, leavesOut = false }: AnswerSchema, options: TextOptions): Page {
  return { ...options, schemas, leavesOut, paint: palette(options.colour) };
}

/** The last column of a table gets at least this width. */
const LEAST_LAST = 20;
/** A list with more characters takes a line for each item, and no cell of a table. */
const LONGEST_LIST = 200;

/**
 * Any answer of an API as text for a person: the schemas of its description document give the order, the labels and the kinds of values.
 * A list of flat objects is a table; other objects are blocks.
 */
export function answerText(value: unknown, answer: AnswerSchema, options: TextOptions): string {
  const page = pageOf(answer, options);
  return fitLines(blockOf(onlyMember({ value, schema: answer.schema }, page), '', page), options);
}

/** A value that no schema describes as text. */
export function plainText(value: unknown, options: TextOptions): string {
  return answerText(value, { schema: {}, schemas: {}, leavesOut: true }, options);
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
  const hidesEmpty = isItem && page.leavesOut;
  const properties = propertiesOf(described, page).filter(
    (one) => isStated(one, page) && !(hidesEmpty && Array.isArray(one.value) && one.value.length === 0),
  );
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
  const isLong = (one: Described) => Array.isArray(one.value) && cellOf(one, page).length > LONGEST_LIST;
  if (shown.some((one) => !isLine(one, page) || isLong(one))) return undefined;
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
