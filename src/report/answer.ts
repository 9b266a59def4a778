import { isObject } from '../model/json-object.ts';
import { tableOf } from './answer-table.ts';
import {
  type AnswerSchema,
  cellOf,
  type Described,
  isEmpty,
  isLine,
  isStated,
  labelOf,
  type Page,
  type Properties,
  propertiesOf,
  resolve,
  UNKNOWN,
} from './answer-values.ts';
import { columns, fitLines, palette, type TextOptions } from './layout.ts';

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
