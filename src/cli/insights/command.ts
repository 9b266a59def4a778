import type { Command } from 'commander';
import type { BatchEntry, InsightsSession } from '../../commands/insights-session.ts';
import { readBundledDescription } from '../../discovery/bundled.ts';
import { UNCOVERED } from '../../model/api/extensions.ts';
import { printable } from '../../model/printable.ts';
import { answerLine } from '../../report/answer.ts';
import { keyText } from '../../report/dependency-tree.ts';
import { palette } from '../../report/layout.ts';
import { EXIT } from '../program/errors.ts';
import type { CommandContext } from '../program/terminal.ts';
import { readBatchFile, readSubjectItem, readTextItem, readVersionItem } from './batch-file.ts';
import type { Description, OperationOptions } from './session.ts';
import { operationCommand, problemsText, withSession } from './session.ts';
import { query, SINGLE_OPERATIONS, single } from './single.ts';

/** The fields that the line of a version shows. */
const VERSION_LINE = ['publishedAt', 'licenses', 'isDeprecated', 'advisoryKeys'] as const;

/** The operations that are not single: what each is called, asks for and prints. */
const OPERATIONS: readonly ((context: CommandContext) => Command)[] = [
  query,
  batch({
    name: 'versions',
    description: 'Many versions at once.',
    example: '--file versions.txt   (npm lodash 4.17.21)',
    read: readVersionItem,
    run: ({ versions }) => versions,
    subject: keyText,
    shows: { method: 'getVersion', properties: ['versionKey', ...VERSION_LINE] },
    asSent: (versionKey) => ({ versionKey }),
  }),
  batch({
    name: 'findings-batch',
    description: 'What the service says of many packages or versions at once; a service may not have it.',
    example: '--file subjects.txt   (npm lodash, or npm lodash 4.17.21)',
    read: readSubjectItem,
    run: ({ findings }) => findings,
    subject: keyText,
    shows: { method: 'getFindings', properties: ['requestedVersion', 'packageFindings'] },
    asSent: (subject) => ('version' in subject ? { versionKey: subject } : { packageKey: subject }),
  }),
  batch({
    name: 'projects',
    description: 'Many projects at once.',
    example: '--file projects.txt   (github.com/lodash/lodash)',
    read: readTextItem('id'),
    run: ({ projects }) => projects,
    subject: (id) => id,
    shows: { method: 'getProject', properties: ['projectKey', 'license', 'starsCount'] },
    asSent: (id) => ({ projectKey: { id } }),
  }),
  batch({
    name: 'purls',
    description: 'Many purls at once, each with a version.',
    example: '--file purls.txt   (pkg:npm/lodash@4.17.21)',
    read: readTextItem('purl'),
    run: ({ purls }) => purls,
    subject: (purl) => purl,
    shows: { method: 'purlLookup', properties: ['purl', ...VERSION_LINE] },
    asSent: (purl) => ({ purl }),
  }),
];

const EXAMPLES = `
Examples:
  lockhound insights package npm lodash
  lockhound insights dependencies npm express 4.18.2
  lockhound insights versions --file versions.txt --json
  lockhound insights query --file lodash-4.17.21.tgz
  lockhound insights version npm lodash 4.17.20 --local      without network, from the bundled data

Exit codes: 0 found, 1 not found, 2 error.`;

export async function insightsCommand(): Promise<(group: Command, context: CommandContext) => void> {
  const document = await readBundledDescription('insights.v3alpha');
  return (group, context) => {
    group.addHelpText('after', EXAMPLES);
    for (const operation of SINGLE_OPERATIONS) group.addCommand(single(context, document, operation));
    for (const operation of OPERATIONS) group.addCommand(operation(context));
  };
}

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
function batch<Request, Value>(operation: BatchOperation<Request, Value>) {
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
  const { requests, problems } = await readBatchFile(options.file, read);
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
