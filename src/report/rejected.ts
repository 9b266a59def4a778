import type {
  RejectedList,
  RejectedPayload,
  RetriedPayload,
  RetriedPayloads,
} from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { fitLines, type TextOptions } from './layout.ts';
import { palette } from './palette.ts';

const SHOWN_ISSUES = 3;

/** A few lines per rejected payload: the job and the faults of its data. */
export function rejectedListText({ rejected, total }: RejectedList, options: TextOptions): string {
  if (total === 0) return 'No rejected payloads.\n';
  const paint = palette(options.colour);
  const rest = total - rejected.length;
  const lines = rejected.flatMap(({ at, job, id, issues }) => [
    `${paint.strong(printable(id))}  ${printable(job)}  ${paint.faint(printable(at))}`,
    ...issueLines(issues.slice(0, SHOWN_ISSUES)),
    ...(issues.length > SHOWN_ISSUES ? [`  … and ${issues.length - SHOWN_ISSUES} more faults`] : []),
  ]);
  const more = rest > 0 ? [paint.faint(`… and ${rest} more: use --limit to show them`)] : [];
  return fitLines([...lines, ...more], options);
}

/** One payload with all of its faults and its data. */
export function rejectedText(entry: RejectedPayload, options: TextOptions): string {
  const paint = palette(options.colour);
  const { at, job, id, issues, cut } = entry;
  const lines = [
    `${paint.strong(printable(id))}  ${printable(job)}  ${paint.faint(`rejected at ${printable(at)}`)}`,
    ...issueLines(issues),
    '',
    paint.faint(cut === true ? 'data (truncated; the job is no longer in the queue):' : 'data:'),
  ];
  return fitLines(lines, options) + rejectedDataText(entry);
}

/** The data alone, indented when it is JSON, with control characters escaped as in JSON. */
export function rejectedDataText({ data }: RejectedPayload): string {
  return `${indented(data).split('\n').map(printable).join('\n')}\n`;
}

/** The results of putting payloads back. */
export function retriedPayloadsText({ rejected }: RetriedPayloads): string {
  return rejected.map(retriedPayloadText).join('') || 'Nothing to put back.\n';
}

/** The result of putting a payload back. */
export function retriedPayloadText(result: RetriedPayload): string {
  const { id, job } = result;
  switch (result.outcome) {
    case 'queued':
      return `${id} is back on the queue ${job}\n`;
    case 'under-way':
      return `${id} is no longer rejected: its job is running or done; not changed\n`;
    case 'gone':
      return `${id} is no longer in the queue, and its data is not complete: provide it with --data\n`;
    case 'invalid':
      return `${id} would be rejected again; correct it with --data:\n${issueLines(result.issues ?? []).join('\n')}\n`;
  }
}

/** One line for each fault: path and reason. */
function issueLines(issues: RejectedPayload['issues']): readonly string[] {
  return issues.map(({ path, reason }) => `  ${printable(path)}: ${printable(reason)}`);
}

function indented(data: string): string {
  try {
    return JSON.stringify(JSON.parse(data), undefined, 2);
  } catch {
    return data;
  }
}
