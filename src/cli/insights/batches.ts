import type { Command } from 'commander';
import type { BatchEntry, InsightsSession } from '../../commands/insights-session.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
import {
  type EntryText,
  projectSummary,
  purlSummary,
  renderEntry,
  versionSummary,
} from '../../report/insights/batch.ts';
import { keyText } from '../../report/insights/version.ts';
import { EXIT } from '../exit-code.ts';
import { type Line, readLines, readTextLine, readVersionLine } from './lines.ts';
import { type Console, type OperationOptions, operation, problemsText, withSession } from './operation.ts';

interface BatchOptions extends OperationOptions {
  readonly file: string;
}

interface BatchKind<Request, Value> {
  read(item: unknown): Request | undefined;
  run(
    session: InsightsSession,
    requests: readonly Request[],
    signal: AbortSignal,
  ): AsyncIterable<BatchEntry<Request, Value>>;
  subject(request: Request): string;
  summary(value: Value, subject: string): string;
  /** The request as the API writes it. */
  asSent(request: Request): object;
}

const FORMATS = `
The file holds one request a line, or a JSON list of them; - is standard input.

Exit codes: 0 all found, 1 some not found, 2 some could not be asked for.`;

/** GetVersionBatch, GetProjectBatch and PurlLookupBatch over files of any size. */
export function batchCommands(console: Console): readonly Command[] {
  return [
    batchCommand(
      console,
      operation('versions', 'Many versions at once.', '--file versions.txt   (npm lodash 4.17.21)'),
      {
        read: readVersionLine,
        run: ({ batches }, keys, signal) => batches.versions(keys, { signal }),
        subject: (key: VersionKey) => keyText(key),
        summary: versionSummary,
        asSent: (versionKey: VersionKey) => ({ versionKey }),
      },
    ),
    batchCommand(
      console,
      operation('projects', 'Many projects at once.', '--file projects.txt   (github.com/lodash/lodash)'),
      {
        read: readTextLine('id'),
        run: ({ batches }, ids, signal) => batches.projects(ids, { signal }),
        subject: (id) => id,
        summary: projectSummary,
        asSent: (id) => ({ projectKey: { id } }),
      },
    ),
    batchCommand(
      console,
      operation(
        'purls',
        'Many purls at once, each with a version.',
        '--file purls.txt   (pkg:npm/lodash@4.17.21)',
      ),
      {
        read: readTextLine('purl'),
        run: ({ batches }, purls, signal) => batches.purls(purls, { signal }),
        subject: (purl) => purl,
        summary: purlSummary,
        asSent: (purl) => ({ purl }),
      },
    ),
  ];
}

function batchCommand<Request, Value>(
  console: Console,
  command: Command,
  kind: BatchKind<Request, Value>,
): Command {
  return command
    .requiredOption('--file <file>', 'what to ask for')
    .addHelpText('after', FORMATS)
    .action((options: BatchOptions) => runBatch(console, kind, options));
}

async function runBatch<Request, Value>(
  { terminal, exit }: Console,
  kind: BatchKind<Request, Value>,
  options: BatchOptions,
): Promise<void> {
  const all = readLines(options.file, kind.read);
  const unread = all.filter(({ problem }) => problem !== undefined);
  for (const { problem = '' } of unread) terminal.note(`cannot be read: ${problem}\n`);
  const requests = all.flatMap(({ request }: Line<Request>) => (request === undefined ? [] : [request]));
  const print =
    options.json === true ? jsonPrinter(terminal.out, kind) : textPrinter({ terminal, exit }, kind);
  const counts = { missing: 0, failed: unread.length };
  await withSession(options, async (session, signal) => {
    for await (const entry of kind.run(session, requests, signal)) {
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
  { terminal }: Console,
  kind: BatchKind<Request, Value>,
): Printer<Request, Value> {
  const options = { colour: terminal.colour, width: terminal.width };
  return {
    entry({ request, value, missing, error }) {
      const text: EntryText<Value> = {
        subject: kind.subject(request),
        ...(value === undefined ? {} : { value }),
        ...(missing === undefined ? {} : { missing }),
        ...(error === undefined ? {} : { error }),
      };
      terminal.out(renderEntry(text, kind.summary, options));
    },
    end() {},
  };
}

/** One answer of the API, as if it had no pages: its entries as they came, and an `error` for what was not answered. */
function jsonPrinter<Request, Value>(
  out: (text: string) => void,
  { asSent }: BatchKind<Request, Value>,
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
