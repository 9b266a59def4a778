import { instantOf, int64Of } from '../../model/api/api-scalars.ts';
import { printable } from '../../model/printable.ts';
import { columns, type TextOptions } from '../layout.ts';
import { type Palette, palette } from '../palette.ts';

/** A label with what belongs to it, one line for each; without any the label is left out. */
export type Row = readonly [label: string, values: readonly (string | undefined)[]];

/** A heading with a table below; one without rows is left out. */
export interface Section {
  readonly title: string;
  readonly table: readonly (readonly string[])[];
}

export function paletteOf({ colour }: TextOptions): Palette {
  return palette(colour);
}

/** What the lines below are about. */
export function heading(text: string, paint: Palette): string {
  return paint.strong(printable(text));
}

/** Labels in one column, values in another. Values come from outside and are made printable. */
export function rows(given: readonly Row[], options: TextOptions): readonly string[] {
  const paint = paletteOf(options);
  const table = given.flatMap(([label, values]) =>
    values
      .filter((value) => value !== undefined && value !== '')
      .map((value, index) => [paint.faint(index === 0 ? label : ''), printable(value ?? '')]),
  );
  return columns(table, { width: options.width, indent: '  ' });
}

/** Cells from outside, made printable, in columns. */
export function table(
  cells: readonly (readonly string[])[],
  { width }: TextOptions,
  indent = '  ',
): readonly string[] {
  return columns(
    cells.map((row) => row.map(printable)),
    { width, indent },
  );
}

/** The day of a time in UTC; text that is no time stays as it is. */
export function day(text: string | undefined): string {
  return instantOf(text)?.toISOString().slice(0, 10) ?? text ?? '';
}

/**
 * Stands for a value that the answer does not have, or that could not be read. The service writes defaults out, 0 and
 * empty lists among them: what is absent is not 0.
 */
export const UNKNOWN = 'unknown';

/** `1,234`. */
export function grouped(value: number | string | undefined): string {
  return int64Of(value)?.toLocaleString('en') ?? (value === undefined ? UNKNOWN : printable(String(value)));
}

/** `7.5`, with that number of decimals. */
export function decimal(value: number | undefined, decimals = 1): string {
  return value?.toFixed(decimals) ?? UNKNOWN;
}

/** `yes` or `no`. */
export function yesOrNo(value: boolean | undefined, yes = 'yes'): string {
  return value === undefined ? UNKNOWN : value ? yes : 'no';
}

/** `1 version`, `2 versions`; `an unknown number of versions` for `undefined`. */
export function counted(amount: number | undefined, one: string, many = `${one}s`): string {
  if (amount === undefined) return `an unknown number of ${many}`;
  return `${amount.toLocaleString('en')} ${amount === 1 ? one : many}`;
}
