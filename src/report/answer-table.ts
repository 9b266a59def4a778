import { isObject } from '../model/json-object.ts';
import {
  cellOf,
  type Described,
  isEmpty,
  isLine,
  labelOf,
  type Page,
  type Properties,
} from './answer-values.ts';
import { columns, stringWidth, wrapped } from './layout.ts';

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
export function tableOf(
  rows: readonly Properties[],
  indent: string,
  page: Page,
): readonly string[] | undefined {
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
