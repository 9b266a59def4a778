import { isObject } from '../model/json-object.ts';
import type { AnswerSchema, Described, Page, Properties } from './answer-values.ts';
import {
  cellOf,
  isEmpty,
  isLine,
  isStated,
  labelOf,
  propertiesOf,
  resolve,
  UNKNOWN,
} from './answer-values.ts';
import { columns, fitLines, palette, stringWidth, type TextOptions, wrapped } from './layout.ts';

export type { AnswerSchema } from './answer-values.ts';

function pageOf({ schemas = {}, leavesOut = false, columns = {} }: AnswerSchema, options: TextOptions): Page {
  return { ...options, schemas, leavesOut, columns, paint: palette(options.colour) };
}

/**
 * Any answer of an API as text for a person: the schemas of its description document give the order, the labels and the kinds of values.
 * A list of flat objects is a table; other objects are blocks. Empty lists of our own API are left out, but for those of the answer itself
 * that are no lists of texts: that there are none is an answer.
 */
export function answerText(value: unknown, answer: AnswerSchema, options: TextOptions): string {
  const page = pageOf(answer, options);
  return fitLines(blockOf(onlyMember({ value, schema: answer.schema }, page), '', page, 'answer'), options);
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
function blockOf(
  described: Described,
  indent: string,
  page: Page,
  is: 'answer' | 'item' | 'part' = 'part',
): readonly string[] {
  const isItem = is === 'item';
  if (isLine(isItem ? { ...described, shown: undefined } : described, page))
    return [indent + cellOf(described, page)];
  if (Array.isArray(described.value)) return itemLines(described, indent, page);
  const properties = propertiesOf(described, page).filter(
    (one) => isStated(one, page) && !(page.leavesOut && saysNothing(one, page, is === 'answer')),
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

/** Whether a value is an empty object or list. A list in the answer itself says something unless it is one of texts. */
function saysNothing({ value, schema }: Described, page: Page, isAnswer: boolean): boolean {
  if (!Array.isArray(value)) return isObject(value) && Object.keys(value).length === 0;
  return value.length === 0 && !(isAnswer && resolve(schema, page).items?.type !== 'string');
}

function labelledRows(one: Properties[number], page: Page): readonly (readonly [string, string])[] {
  const label = page.paint.faint(labelOf(one.name));
  if (!Array.isArray(one.value) || one.value.length === 0) return [[label, cellOf(one, page)]];
  const schema = resolve(one.schema, page).items ?? {};
  if (one.name.endsWith('Path')) return [[label, cellOf(one, page)]];
  return one.value.map((value, index) => [
    index === 0 ? label : '',
    cellOf({ value, schema, shown: one.shown }, page),
  ]);
}

function itemLines({ value, schema, shown }: Described, indent: string, page: Page): readonly string[] {
  const of = resolve(schema, page).items ?? {};
  const items = (value as readonly unknown[]).map((item) => ({ value: item, schema: of, shown }));
  const rows = items.map((item) => propertiesOf(item, page));
  const table = items.every((item) => isObject(item.value)) ? tableOf(rows, indent, page) : undefined;
  return table ?? items.flatMap((item) => blockOf(item, indent, page, 'item'));
}

/** The last column of a table gets at least this width, when the others leave it. */
const LEAST_LAST = 20;
/** A list with more characters takes a line for each item, and no cell of a table. */
const LONGEST_LIST = 200;
/** Values that are equal in at least so many rows are written once, where the columns do not fit. */
const LEAST_EQUAL = 3;
const GAP = 2;

interface Column {
  readonly label: string;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * Columns without a value in any row are left out. Where the width is too small for all, values that are equal in all rows are written
 * once above the table, and those of the columns that do not fit below their row, with their labels. `undefined` when a value needs more
 * than a line.
 */
function tableOf(rows: readonly Properties[], indent: string, page: Page): readonly string[] | undefined {
  const shown = rows.flatMap((row) => row.filter((one) => !isEmpty(one, page)));
  const isLong = (one: Described) => Array.isArray(one.value) && cellOf(one, page).length > LONGEST_LIST;
  if (shown.some((one) => !isLine(one, page) || isLong(one))) return undefined;
  const isPlain = shown.every(({ value }) => typeof value === 'string' || isObject(value));
  const all = columnsOf(rows, new Set(shown.map(({ name }) => name)), page);
  if (all.length < 3 || fits(all, indent, page))
    return tableLines(all, indent, page, all.length < 3 && isPlain);
  const equal = all.filter(({ cells }, index) => index > 0 && isEqual(cells));
  const once = equal.flatMap((column) => labelledCell(column, 0, page));
  const rest = all.filter((column) => !equal.includes(column));
  return [
    ...packed(once, indent, page, 'in each: '),
    ...(fits(rest, indent, page) ? tableLines(rest, indent, page) : splitLines(rest, indent, page)),
  ];
}

function columnsOf(rows: readonly Properties[], named: ReadonlySet<string>, page: Page): readonly Column[] {
  const names = [...new Set(rows.flat().map(({ name }) => name))].filter((name) => named.has(name));
  return names.map((name) => {
    const cells = rows.map((row) => {
      const one = row.find((property) => property.name === name);
      const isNone = page.leavesOut && Array.isArray(one?.value) && one.value.length === 0;
      return one === undefined || isNone ? '' : cellOf(one, page);
    });
    const label = labelOf(name);
    return { label, cells, width: Math.max(label.length, ...cells.map(stringWidth)) };
  });
}

function isEqual(cells: readonly string[]): boolean {
  return cells[0] !== '' && cells.length >= LEAST_EQUAL && cells.every((cell) => cell === cells[0]);
}

function fits(all: readonly Column[], indent: string, { width }: Page): boolean {
  const last = Math.min(LEAST_LAST, all.at(-1)?.width ?? 0);
  return all.slice(0, -1).reduce((sum, one) => sum + one.width + GAP, indent.length) + last <= width;
}

function tableLines(all: readonly Column[], indent: string, page: Page, isPlain = false): readonly string[] {
  const rows = (all[0]?.cells ?? []).map((_, row) => all.map(({ cells }) => cells[row] ?? ''));
  const heading = isPlain ? [] : [all.map(({ label }) => page.paint.faint(label))];
  return columns([...heading, ...rows], { width: page.width, indent });
}

/** A table of the columns that fit; below each row are its other values. */
function splitLines(all: readonly Column[], indent: string, page: Page): readonly string[] {
  let used = indent.length - GAP;
  const fitting = all.filter(({ width }, index) => {
    const isFitting = index === 0 || (width <= page.width / 2 && used + GAP + width <= page.width);
    if (isFitting) used += GAP + width;
    return isFitting;
  });
  const others = all.filter((column) => !fitting.includes(column));
  // The last cell of a row does not wrap: it fits, or it is the only one.
  const unlimited = { ...page, width: Number.POSITIVE_INFINITY };
  const [heading = '', ...rows] = tableLines(fitting, indent, unlimited);
  return [
    ...(fitting.length > 1 ? [heading] : []),
    ...rows.flatMap((line, row) => {
      const below = others.flatMap((column) => labelledCell(column, row, page));
      return [line, ...packed(below, `${indent}    `, page)];
    }),
  ];
}

/** A value with its label, which no heading of a column says; the label alone for `yes`, and nothing for one that is absent. */
function labelledCell({ label, cells }: Column, row: number, { paint }: Page): readonly string[] {
  const text = cells[row] ?? '';
  if (text === '') return [];
  return [text === 'yes' ? label : `${paint.faint(label)} ${text}`];
}

/** Texts in lines, as many in each as fit, the first after a lead. A text that is longer than a line is wrapped. */
function packed(texts: readonly string[], indent: string, { width }: Page, lead = ''): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const joined = lines.length === 0 ? `${indent}${lead}${text}` : `${lines.at(-1)}; ${text}`;
    if (lines.length === 0 || stringWidth(joined) <= width) lines.splice(-1, 1, joined);
    else lines.push(`${indent}${' '.repeat(lead.length)}${text}`);
  }
  return lines.flatMap((line) => wrapped(line, width));
}
