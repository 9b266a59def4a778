import type { Row, Table } from './rows.ts';

/** The width of a terminal. */
const WIDTH = 80;
const NUMBER = 8;
const COLUMNS = ['min', 'median', 'max', '×', 'aim'];
const NAME = WIDTH - NUMBER * COLUMNS.length;

/**
 * A table as text: each floor (1.00 ×) above what is rated by it, times in milliseconds. `×` is the median of the ratios within
 * a round.
 */
export function tableText({ title, rows }: Table): string {
  const groups = rows.filter(({ floor }) => floor === undefined);
  const lines = groups.flatMap((floor, index) => [
    ...(index === 0 ? [] : ['']),
    rowText(floor, rows.some((row) => row.floor === floor.name) ? '1.00' : '', ''),
    ...rows.filter((row) => row.floor === floor.name).map(ratedText),
  ]);
  const head = `${'ms'.padEnd(NAME)}${COLUMNS.map((column) => column.padStart(NUMBER)).join('')}`;
  return [`\n${title}`, head, ...lines].join('\n');
}

function ratedText(row: Row): string {
  const { ratio = Number.NaN, aim } = row;
  return rowText(row, ratio.toFixed(2), aim === undefined ? '' : String(aim));
}

function rowText({ name, leastMs, medianMs, mostMs }: Row, ...rating: readonly string[]): string {
  const cells = [...[leastMs, medianMs, mostMs].map(numberText), ...rating];
  // One space at least before the first number.
  const label = name.length < NAME ? name : `${name.slice(0, NAME - 2)}…`;
  return `${label.padEnd(NAME)}${cells.map((cell) => cell.padStart(NUMBER)).join('')}`.trimEnd();
}

function numberText(milliseconds: number): string {
  if (milliseconds >= 100) return milliseconds.toFixed(0);
  return milliseconds.toFixed(milliseconds >= 10 ? 1 : 2);
}
