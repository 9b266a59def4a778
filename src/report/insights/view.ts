import { printable } from '../../model/printable.ts';
import { columns, fitLines, type TextOptions } from '../layout.ts';
import { type Palette, palette } from '../palette.ts';

/** An answer of the API as text for a person. */
export type Renderer<Value> = (value: Value, options: TextOptions) => string;

/** Lines of an answer. The functions that make blocks make all values printable: they come from outside. */
export type Block = (options: TextOptions, paint: Palette) => readonly string[];

/** A label with its values, one line each; omitted when there are none. */
export type Row = readonly [label: string, values: readonly (string | undefined)[]];

export function renderer<Value>(view: (value: Value) => readonly Block[]): Renderer<Value> {
  return (value, options) => {
    const paint = palette(options.colour);
    return fitLines(
      view(value).flatMap((block) => block(options, paint)),
      options,
    );
  };
}

/** The subject of the lines below, and a note about it. */
export function heading(text: string, note = ''): Block {
  return (_options, paint) => [
    `${paint.strong(printable(text))}${note === '' ? '' : `  ${paint.faint(printable(note))}`}`,
  ];
}

export function line(text: string): Block {
  return () => [printable(text)];
}

/** Labels in one column, values in another. */
export function rows(given: readonly Row[]): Block {
  return ({ width }, paint) => {
    const cells = given.flatMap(([label, values]) =>
      values
        .filter((value) => value !== undefined && value !== '')
        .map((value, index) => [paint.faint(index === 0 ? label : ''), printable(value ?? '')]),
    );
    return columns(cells, { width, indent: '  ' });
  };
}

export function table(cells: readonly (readonly string[])[], indent = '  '): Block {
  return ({ width }) =>
    columns(
      cells.map((row) => row.map(printable)),
      { width, indent },
    );
}

/** A heading with a table below; nothing without rows. */
export interface Section {
  readonly title: string;
  readonly table: readonly (readonly string[])[];
}

export function sectionBlocks(sections: readonly Section[]): readonly Block[] {
  return sections.flatMap(({ title, table: cells }) => [heading(title), table(cells)]);
}

/** The day of a time in UTC; other text is not changed. */
export function day(text: string | undefined): string {
  return instantOf(text)?.toISOString().slice(0, 10) ?? text ?? '';
}

/**
 * Shown for a value that the answer does not have, or that cannot be read. The service sends defaults, among them 0 and
 * empty lists: an absent value is not 0.
 */
export const UNKNOWN = 'unknown';

/** `1,234`. */
export function grouped(value: number | string | undefined): string {
  return int64Of(value)?.toLocaleString('en') ?? (value === undefined ? UNKNOWN : String(value));
}

/** `7.5`, with one decimal. */
export function decimal(value: number | undefined): string {
  return value?.toFixed(1) ?? UNKNOWN;
}

/** `1 version`, `2 versions`; `an unknown number of versions` for `undefined`. */
export function counted(amount: number | undefined, one: string, many = `${one}s`): string {
  if (amount === undefined) return `an unknown number of ${many}`;
  return `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`;
}

/*
 * Scalars that JSON numbers cannot represent are text in an API's answers (proto3's JSON mapping). These functions
 * parse them.
 */

/** An `int64` or `uint64`, which is text in JSON; numbers are accepted too. `undefined` for anything else. */
export function int64Of(value: string | number | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return value !== undefined && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

/** A `google-datetime`: RFC 3339 with `Z` or an offset. `undefined` when absent, empty or not a time. */
export function instantOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
    return undefined;
  }
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
