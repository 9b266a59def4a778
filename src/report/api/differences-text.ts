import { type ContractDifference, countDifferences, DIFFERENCE_CLASSES } from '../../model/api/contract.ts';
import { printable } from '../../model/printable.ts';
import { columns, type TextOptions } from '../layout.ts';
import { palette } from '../palette.ts';

/** The differences of two description documents, in the given order, and a count for each class. */
export function differencesText(
  differences: readonly ContractDifference[],
  { colour, width }: TextOptions,
): string {
  const paint = palette(colour);
  const style = { breaking: paint.bad, deprecating: paint.strong, compatible: paint.faint };
  const rows = differences.flatMap(({ class: name, path, subject, message, kind }) => [
    [style[name](name), `${printable(subject)}: ${printable(message)}`],
    ['', paint.faint(`${kind} ${printable(path)}`)],
  ]);
  const counts = countDifferences(differences);
  const summary = DIFFERENCE_CLASSES.map((name) => `${counts[name]} ${name}`).join(', ');
  const last = differences.length === 0 ? 'No differences.' : summary;
  return `${[...columns(rows, { width }), last].join('\n')}\n`;
}
