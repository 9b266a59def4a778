import type { AppliedFix } from '../model/advice/applied-fix.ts';
import { printable } from '../model/printable.ts';
import { changeText } from './fixes.ts';
import { counted, fitLines, hang, palette, type TextOptions } from './layout.ts';

/** Changes that a line names. */
const SHOWN_CHANGES = 3;
/** Further lines of a reason. */
const SHOWN_REASONS = 11;

/** The text about the results of the plans: the files that have the result, and what was left as it was, with the reason. */
export function appliedText(applied: AppliedFix, options: TextOptions): string {
  const { plans, written, branch, commit, failedCheck, restored } = applied;
  const paint = palette(options.colour);
  if (restored !== undefined) {
    const lines = [
      paint.bad('An earlier fix was killed while it wrote. These files are as they were before it:'),
      ...restored.map((path) => `  ${printable(path)}`),
      'Run the command again.',
    ];
    return fitLines(lines, options);
  }
  const lines = plans.flatMap(({ path, reason, changes = [], removed, advisories = [] }) => {
    if (reason === undefined) {
      const what =
        removed === undefined
          ? `${counted(advisories.length, 'advisory', 'advisories')} cleared`
          : `${counted(removed, 'exception')} removed`;
      const text = `${printable(path)}: ${what}`;
      return hang('  ', text, options.width);
    }
    const rest = changes.length - SHOWN_CHANGES;
    const what =
      changes.length === 0 ? ['removal of exceptions'] : changes.slice(0, SHOWN_CHANGES).map(changeText);
    const named = [...what, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
    const [first = '', ...others] = reason.split('\n');
    const more =
      others.length > SHOWN_REASONS ? [`… and ${others.length - SHOWN_REASONS} more (--json has all)`] : [];
    return [
      ...hang('  ', `${printable(path)}: ${named}, not made: ${printable(first)}`, options.width),
      ...[...others.slice(0, SHOWN_REASONS), ...more].flatMap((line) =>
        hang('    ', printable(line), options.width),
      ),
    ];
  });
  const where = branch === undefined ? 'Written' : `Committed on ${branch} (${commit?.slice(0, 12)})`;
  const end =
    failedCheck !== undefined
      ? [
          paint.bad('The check failed, so nothing was written:'),
          ...failedCheck.split('\n').map((line) => `  ${printable(line)}`),
        ]
      : written === undefined
        ? [paint.bad('Nothing was written.')]
        : hang('', `${paint.good(where)}: ${written.map(printable).join(', ')}`, options.width);
  return fitLines([paint.strong('Applied'), ...lines, ...end], options);
}
