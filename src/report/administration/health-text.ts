import type { Grade, HealthVerdict } from '../../model/fleet/health.ts';
import { printable } from '../../model/printable.ts';
import { columns, fitLines, type TextOptions, wrapped } from '../layout.ts';
import { palette } from '../palette.ts';

const WORDS: Readonly<Record<Grade, string>> = { good: 'good', attention: 'look', bad: 'bad' };

/** One sentence, then a line for each part with what to do. */
export function healthText({ grade, summary, parts }: HealthVerdict, options: TextOptions): string {
  const paint = palette(options.colour);
  const colour: Readonly<Record<Grade, (text: string) => string>> = {
    good: paint.good,
    attention: paint.strong,
    bad: paint.bad,
  };
  const rows = parts.map(({ part, grade: own, says, remedy }) => {
    const action = remedy === undefined ? '' : ` ${paint.faint(printable(remedy))}`;
    return [colour[own](WORDS[own]), part, `${printable(says).replace(/[.]$/, '')}.${action}`];
  });
  return fitLines(
    [...wrapped(colour[grade](printable(summary)), options.width), '', ...columns(rows, options)],
    options,
  );
}
