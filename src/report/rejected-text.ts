import { printable } from '../model/printable.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { fitLines, type TextOptions } from './layout.ts';
import { palette } from './palette.ts';

export interface RejectedList {
  readonly rejected: readonly RejectedPayload[];
  /** Number of all that are kept. */
  readonly total: number;
}

const SHOWN_ISSUES = 3;

/** A rejected payload in a few lines each: the job, and what is wrong with its data. */
export function rejectedListText({ rejected, total }: RejectedList, options: TextOptions): string {
  if (total === 0) return 'No rejected payloads.\n';
  const paint = palette(options.colour);
  const rest = total - rejected.length;
  const lines = rejected.flatMap(({ at, job, id, issues }) => [
    `${paint.strong(printable(id))}  ${printable(job)}  ${paint.faint(printable(at))}`,
    ...issueLines(issues.slice(0, SHOWN_ISSUES)),
    ...(issues.length > SHOWN_ISSUES ? [`  … and ${issues.length - SHOWN_ISSUES} more faults`] : []),
  ]);
  const more = rest > 0 ? [paint.faint(`… and ${rest} more: --limit shows them`)] : [];
  return fitLines([...lines, ...more], options);
}

/** One payload with all its faults, and its data. */
export function rejectedText(entry: RejectedPayload, options: TextOptions): string {
  const paint = palette(options.colour);
  const { at, job, id, issues, cut } = entry;
  const lines = [
    `${paint.strong(printable(id))}  ${printable(job)}  ${paint.faint(`rejected at ${printable(at)}`)}`,
    ...issueLines(issues),
    '',
    paint.faint(cut === true ? 'data (its beginning; the job is not in the queue any more):' : 'data:'),
  ];
  return fitLines(lines, options) + rejectedDataText(entry);
}

/** The data alone, indented where it is JSON; control characters as `\uXXXX`, which is the same in JSON. */
export function rejectedDataText({ data }: Pick<RejectedPayload, 'data'>): string {
  return `${indented(data).split('\n').map(printable).join('\n')}\n`;
}

/** Lines of faults for a person: path and reason. */
export function issueLines(issues: RejectedPayload['issues']): readonly string[] {
  return issues.map(({ path, reason }) => `  ${printable(path)}: ${printable(reason)}`);
}

function indented(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), undefined, 2);
  } catch {
    return data;
  }
}
