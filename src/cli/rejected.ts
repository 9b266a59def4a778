import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { RejectedDesk, RetriedPayload } from '../commands/rejected.ts';
import { loadConfig } from '../config/load.ts';
import type { RejectedPayload } from '../model/queue/rejected-payload.ts';
import { issueLines, rejectedDataText, rejectedListText, rejectedText } from '../report/rejected-text.ts';
import type { CommandContext } from './context.ts';
import { CommandError, unreadable } from './errors.ts';
import { EXIT } from './exit-code.ts';
import { type OutputOptions, withOutputFormat } from './output-format.ts';
import { positiveCount } from './positive-count.ts';
import type { Terminal } from './terminal.ts';

interface Common extends OutputOptions {
  readonly config?: string;
}

interface Choice extends Common {
  readonly all?: boolean;
}

const EXAMPLES = `
Examples:
  lockhound rejected list                              payloads that did not fitLines, with what is wrong
  lockhound rejected show j5f0c… --data > fixed.json   the data of one, to be corrected
  lockhound rejected retry j5f0c… --data fixed.json    puts the corrected payload back on its queue
  lockhound rejected retry --all                       after an upgrade: those that fit by now
  lockhound rejected drop j5f0c…                       forgets a payload and its job

Exit codes: 0 done, 1 some were not put back, 2 could not be done.`;

type Exit = (code: number) => void;

export function rejectedCommand(command: Command, { terminal, exit }: CommandContext): void {
  command
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(retryCommand(terminal, exit))
    .addCommand(dropCommand(terminal))
    .addHelpText('after', EXAMPLES);
}

function listCommand(terminal: Terminal): Command {
  return withCommon(new Command('list'))
    .description('List rejected payloads, newest first.')
    .option('--limit <count>', 'at most so many', positiveCount, 50)
    .action((options: Common & { readonly limit: number }) =>
      atDesk(options, async (desk) => {
        const list = await desk.list(options.limit);
        print(terminal, options, list, () => rejectedListText(list, terminal));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return withCommon(new Command('show'))
    .description('Show one payload with all that is wrong, and its data.')
    .argument('<id>', 'id of the job')
    .option('--data', 'print the data alone')
    .action((id: string, options: Common & { readonly data?: boolean }) =>
      atDesk(options, async (desk) => {
        for (const entry of await found(desk, id)) {
          if (options.data === true) terminal.out(rejectedDataText(entry));
          else print(terminal, options, entry, () => rejectedText(entry, terminal));
        }
      }),
    );
}

function retryCommand(terminal: Terminal, exit: Exit): Command {
  return withChoice(withCommon(new Command('retry')))
    .description('Put payloads back on their queues, corrected or as they are.')
    .option('--data <file>', 'corrected data (JSON) of the one job that is named; `-` reads standard input')
    .action((ids: readonly string[], options: Choice & { readonly data?: string }) =>
      atDesk(options, async (desk) => {
        if (options.data !== undefined && (ids.length !== 1 || options.all === true)) {
          throw new CommandError('nothing-asked', '--data corrects one payload: name the id of its job');
        }
        const data = options.data === undefined ? undefined : await readData(terminal, options.data);
        const results: RetriedPayload[] = [];
        for (const entry of await chosen(desk, ids, options)) results.push(await desk.retry(entry, data));
        print(
          terminal,
          options,
          results,
          () => results.map(retriedText).join('') || 'Nothing to put back.\n',
        );
        exit(results.every(({ outcome }) => outcome === 'queued') ? EXIT.clean : EXIT.findings);
      }),
    );
}

function dropCommand(terminal: Terminal): Command {
  return withChoice(withCommon(new Command('drop')))
    .description('Forget payloads and their jobs.')
    .action((ids: readonly string[], options: Choice) =>
      atDesk(options, async (desk) => {
        const entries = await chosen(desk, ids, options);
        for (const entry of entries) await desk.drop(entry);
        const dropped = entries.map(({ job, id }) => ({ job, id }));
        print(terminal, options, dropped, () => `Dropped ${dropped.length} rejected payloads.\n`);
      }),
    );
}

function withCommon(command: Command): Command {
  return withOutputFormat(command, 'print JSON').option('-c, --config <file>', 'configuration file');
}

function withChoice(command: Command): Command {
  return command.argument('[ids...]', 'ids of jobs; or --all').option('--all', 'all that are rejected');
}

async function atDesk(options: Common, work: (desk: RejectedDesk) => Promise<void>): Promise<void> {
  const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
  const { openRejectedDesk } = await import('../commands/rejected.ts');
  const desk = await openRejectedDesk(loaded);
  try {
    await work(desk);
  } finally {
    await desk.close();
  }
}

async function chosen(
  desk: RejectedDesk,
  ids: readonly string[],
  { all }: Choice,
): Promise<readonly RejectedPayload[]> {
  if ((ids.length === 0) !== (all === true)) {
    throw new CommandError('nothing-asked', 'name ids of jobs, or say --all');
  }
  if (all === true) return (await desk.list()).rejected;
  return (await Promise.all([...new Set(ids)].map((id) => found(desk, id)))).flat();
}

async function found(desk: RejectedDesk, id: string): Promise<readonly RejectedPayload[]> {
  const entries = await desk.find(id);
  if (entries.length > 0) return entries;
  throw new CommandError('not-found', `no rejected payload of a job ${id}: see \`lockhound rejected list\``);
}

async function readData(terminal: Terminal, file: string): Promise<string> {
  if (file !== '-') {
    return await readFile(file, 'utf8').catch((cause: unknown) => {
      throw unreadable(file, cause);
    });
  }
  let text = '';
  for await (const chunk of terminal.input ?? process.stdin) text += String(chunk);
  return text;
}

function retriedText(result: RetriedPayload): string {
  const { id, job } = result;
  switch (result.outcome) {
    case 'queued':
      return `${id} is back on the queue ${job}\n`;
    case 'under-way':
      return `${id} is not rejected any more: its job is under way or done; left alone\n`;
    case 'gone':
      return `${id} is not in the queue any more, and its data is not kept whole: give it with --data\n`;
    case 'invalid':
      return `${id} would be rejected again; correct it with --data:\n${issueLines(result.issues).join('\n')}\n`;
  }
}

function print(terminal: Terminal, { format }: Common, value: unknown, text: () => string): void {
  terminal.out(format === 'json' ? `${JSON.stringify(value)}\n` : text());
}
