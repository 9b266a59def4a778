import type { Command } from 'commander';
import type { BatchEntry, InsightsSession } from '../../commands/insights-session.ts';
import { renderEntry } from '../../report/insights/batch.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exit-code.ts';
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
  summary(value: Value, subject: string): string;
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
export function batch<Request, Value>(
  operation: BatchOperation<Request, Value>,
): (context: CommandContext) => Command {
  return (context) =>
    operationCommand(operation)
      .requiredOption('--file <file>', 'the requests')
      .addHelpText('after', FORMATS)
      .action((options: BatchOptions) => runBatch(context, operation, options));
}

async function runBatch<Request, Value>(
  context: CommandContext,
  operation: BatchOperation<Request, Value>,
  options: BatchOptions,
): Promise<void> {
  const { terminal, exit } = context;
  const { requests, problems } = readBatchFile(options.file, operation.read);
  for (const problem of problems) terminal.note(`cannot be read: ${problem}\n`);
  const print = options.json === true ? jsonPrinter(context, operation) : textPrinter(context, operation);
  const counts = { missing: 0, failed: problems.length };
  await withSession(options, async ({ batches }, signal) => {
    for await (const entry of operation.run(batches)(requests, { signal })) {
      if (entry.missing === true) counts.missing += 1;
      if (entry.error !== undefined) counts.failed += 1;
      if ('problems' in entry) terminal.note(problemsText(entry.problems));
      print.entry(entry);
    }
  });
  print.end();
  if (counts.failed > 0) exit(EXIT.error);
  else if (counts.missing > 0) exit(EXIT.notFound);
}

interface Printer<Request, Value> {
  entry(entry: BatchEntry<Request, Value>): void;
  end(): void;
}

function textPrinter<Request, Value>(
  { terminal }: CommandContext,
  { subject, summary }: BatchOperation<Request, Value>,
): Printer<Request, Value> {
  const options = { colour: terminal.colour, width: terminal.width };
  return {
    entry({ request, value, error }) {
      terminal.out(renderEntry({ subject: subject(request), value, error }, summary, options));
    },
    end() {},
  };
}

/** One answer of the API without pages: its entries as received, with an `error` for each request that failed. */
function jsonPrinter<Request, Value>(
  { terminal: { out } }: CommandContext,
  { asSent }: BatchOperation<Request, Value>,
): Printer<Request, Value> {
  let before = '{"responses":[';
  return {
    entry(entry) {
      const { request, error } = entry;
      const failed = { code: error?.code, message: error?.message };
      const value = 'raw' in entry ? entry.raw : { request: asSent(request), error: failed };
      out(`${before}\n${JSON.stringify(value)}`);
      before = ',';
    },
    end: () => out(before === ',' ? '\n],"nextPageToken":""}\n' : `${before}],"nextPageToken":""}\n`),
  };
}
