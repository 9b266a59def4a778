import type { Command } from 'commander';
import type { BatchEntry, InsightsSession } from '../../commands/insights-session.ts';
import { UNCOVERED } from '../../model/api/extensions.ts';
import { printable } from '../../model/printable.ts';
import { answerLine } from '../../report/answer.ts';
import { palette } from '../../report/layout.ts';
import { EXIT } from '../program/errors.ts';
import type { CommandContext } from '../program/terminal.ts';
import { readBatchFile } from './batch-file.ts';
import {
  type Description,
  type OperationOptions,
  operationCommand,
  problemsText,
  withSession,
} from './session.ts';

/** An operation on many subjects. */
interface BatchOperation<Request, Value> extends Description {
  /** A request from an item of the file; `undefined` when the item is not one. */
  read(item: unknown): Request | undefined;
  /** The operation of the client. */
  run(
    batches: InsightsSession['batches'],
  ): (
    requests: readonly Request[],
    options: { readonly signal: AbortSignal },
  ) => AsyncIterable<BatchEntry<Request, Value>>;
  subject(request: Request): string;
  /** The properties of the answer, which is that of a method, that its line has. */
  readonly shows: { readonly method: string; readonly properties: readonly string[] };
  /** The request as the API writes it. */
  asSent(request: Request): object;
}

interface BatchOptions extends OperationOptions {
  readonly file: string;
}

const FORMATS = `
The file holds one request a line, or a JSON list of them; - is standard input.

Exit codes: 0 all found, 1 some not found, 2 some failed.`;

/** GetVersionBatch, GetProjectBatch or PurlLookupBatch over a file of any size. */
export function batch<Request, Value>(operation: BatchOperation<Request, Value>) {
  return (context: CommandContext): Command =>
    operationCommand(operation)
      .requiredOption('--file <file>', 'the requests')
      .addHelpText('after', FORMATS)
      .action((options: BatchOptions) => runBatch(context, operation, options));
}

async function runBatch<Request, Value>(
  { terminal, exit }: CommandContext,
  { read, run, subject, shows, asSent }: BatchOperation<Request, Value>,
  options: BatchOptions,
): Promise<void> {
  const { requests, problems } = readBatchFile(options.file, read);
  for (const problem of problems) terminal.note(`cannot be read: ${problem}\n`);
  const counts = { entries: 0, missing: 0, failed: problems.length };
  const uncoveredAt: number[] = [];
  // As JSON: one answer of the API without pages, its entries as received, with an `error` for each request that failed.
  let before = '{"responses":[';
  const asJson = (entry: BatchEntry<Request, Value>): string => {
    const failed = { code: entry.error?.code, message: entry.error?.message };
    const value = 'raw' in entry ? entry.raw : { request: asSent(entry.request), error: failed };
    const text = `${before}\n${JSON.stringify(value)}`;
    before = ',';
    return text;
  };
  const { insightsAnswer } = await import('../../commands/insights-session.ts');
  const answer = await insightsAnswer(shows.method);
  const paint = palette(terminal.colour);
  const asText = ({ request, value, uncovered, error }: BatchEntry<Request, Value>): string => {
    const asked = subject(request);
    const absent = uncovered === true ? 'not in the local data set' : 'not found';
    const result =
      value === undefined
        ? paint.bad(printable(error?.message ?? absent))
        : // The key says something where it differs from the request.
          answerLine(value, answer, shows.properties, (text) => text !== printable(asked));
    return `${paint.strong(printable(asked))}  ${result}\n`;
  };
  const print = options.json === true ? asJson : asText;
  await withSession(options, async ({ batches }, signal) => {
    for await (const entry of run(batches)(requests, { signal })) {
      if (entry.missing === true) counts.missing += 1;
      if (entry.uncovered === true) uncoveredAt.push(counts.entries);
      counts.entries += 1;
      if (entry.error !== undefined) counts.failed += 1;
      if ('problems' in entry) terminal.note(problemsText(entry.problems));
      terminal.out(print(entry));
    }
  });
  const coverage = uncoveredAt.length === 0 ? '' : `,"${UNCOVERED}":[${uncoveredAt}]`;
  if (options.json === true)
    terminal.out(`${before === ',' ? '\n' : before}],"nextPageToken":""${coverage}}\n`);
  if (counts.failed > 0) exit(EXIT.error);
  else if (counts.missing > 0) exit(EXIT.notFound);
}
