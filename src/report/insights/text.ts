import { instantOf, int64Of } from '../../model/api-scalars.ts';
import { type Palette, palette } from '../palette.ts';
import { printable } from '../printable.ts';
import type { TextOptions } from '../text.ts';

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
export function rows(given: readonly Row[], paint: Palette, indent = '  '): readonly string[] {
  const filled = given
    .map(([label, values]) => [label, values.filter((value) => value !== undefined && value !== '')] as const)
    .filter(([, values]) => values.length > 0);
  const width = Math.max(0, ...filled.map(([label]) => label.length));
  return filled.flatMap(([label, values]) =>
    values.map((value, index) => {
      const head = (index === 0 ? label : '').padEnd(width);
      return `${indent}${paint.faint(head)}  ${printable(value ?? '')}`;
    }),
  );
}

/** Columns as wide as what is in them; the last one ends where it ends. */
export function columns(table: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const printed = table.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of printed) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return printed.map((row) =>
    `${indent}${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
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

export function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
