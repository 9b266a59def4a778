import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { RejectedAdmin } from '../commands/rejected.ts';

import type { RejectedPayload, RetriedPayload } from '../model/queue/rejected-payload.ts';
import {
  rejectedDataText,
  rejectedListText,
  rejectedText,
  retriedPayloadText,
} from '../report/administration/rejected-text.ts';
import { type AdminOptions, administering, parseCount, print, withAdminOptions } from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { CommandError, unreadable } from './program/errors.ts';
import { EXIT } from './program/exit-code.ts';
import type { Terminal } from './program/terminal.ts';

interface Choice extends AdminOptions {
  readonly all?: boolean;
}

const administer = administering(async () => (await import('../commands/rejected.ts')).openRejectedAdmin);

const EXAMPLES = `
Examples:
  lockhound rejected list                              invalid payloads with their faults
  lockhound rejected show j5f0c… --data > fixed.json   the data of one payload, to correct it
  lockhound rejected retry j5f0c… --data fixed.json    puts the corrected payload back on its queue
  lockhound rejected retry --all                       after an upgrade: payloads that are valid now
  lockhound rejected drop j5f0c…                       deletes a payload and its job

Exit codes: 0 done, 1 some payloads were not put back, 2 an error.`;

export function rejectedCommand(command: Command, context: CommandContext): void {
  command
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(retryCommand(context))
    .addCommand(dropCommand(context))
    .addHelpText('after', EXAMPLES);
}

function listCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('list'))
    .description('List rejected payloads, newest first.')
    .option('--limit <count>', 'at most this many', parseCount, 50)
    .action((options: AdminOptions & { readonly limit: number }) =>
      administer(options, async (admin) => {
        const list = await admin.list(options.limit);
        print(terminal, options, list, () => rejectedListText(list, terminal));
      }),
    );
}

function showCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('show'))
    .description('Show one payload with all of its faults and its data.')
    .argument('<id>', 'id of the job')
    .option('--data', 'print the data alone')
    .action((id: string, options: AdminOptions & { readonly data?: boolean }) =>
      administer(options, async (admin) => {
        for (const entry of await find(admin, id)) {
          if (options.data === true) terminal.out(rejectedDataText(entry));
          else print(terminal, options, entry, () => rejectedText(entry, terminal));
        }
      }),
    );
}

function retryCommand({ terminal, exit }: CommandContext): Command {
  return withChoice(withAdminOptions(new Command('retry')))
    .description('Put payloads back on their queues, corrected or unchanged.')
    .option('--data <file>', 'corrected data (JSON) for the one job that is named; `-` reads standard input')
    .action((ids: readonly string[], options: Choice & { readonly data?: string }) =>
      administer(options, async (admin) => {
        if (options.data !== undefined && (ids.length !== 1 || options.all === true)) {
          throw new CommandError('nothing-asked', '--data corrects one payload: name the id of its job');
        }
        const data = options.data === undefined ? undefined : await readData(terminal, options.data);
        const results: RetriedPayload[] = [];
        for (const entry of await choose(admin, ids, options)) results.push(await admin.retry(entry, data));
        const text = () => results.map(retriedPayloadText).join('') || 'Nothing to put back.\n';
        print(terminal, options, results, text);
        exit(results.every(({ outcome }) => outcome === 'queued') ? EXIT.clean : EXIT.findings);
      }),
    );
}

function dropCommand({ terminal }: CommandContext): Command {
  return withChoice(withAdminOptions(new Command('drop')))
    .description('Delete payloads and their jobs.')
    .action((ids: readonly string[], options: Choice) =>
      administer(options, async (admin) => {
        const entries = await choose(admin, ids, options);
        for (const entry of entries) await admin.drop(entry);
        const dropped = entries.map(({ job, id }) => ({ job, id }));
        print(terminal, options, dropped, () => `Deleted ${dropped.length} rejected payloads.\n`);
      }),
    );
}

function withChoice(command: Command): Command {
  return command.argument('[ids...]', 'ids of jobs; or --all').option('--all', 'all rejected payloads');
}

async function choose(
  admin: RejectedAdmin,
  ids: readonly string[],
  { all }: Choice,
): Promise<readonly RejectedPayload[]> {
  if ((ids.length === 0) !== (all === true)) {
    throw new CommandError('nothing-asked', 'name the ids of jobs, or use --all');
  }
  if (all === true) return (await admin.list()).rejected;
  return (await Promise.all([...new Set(ids)].map((id) => find(admin, id)))).flat();
}

async function find(admin: RejectedAdmin, id: string): Promise<readonly RejectedPayload[]> {
  const entries = await admin.find(id);
  if (entries.length > 0) return entries;
  throw new CommandError('not-found', `job ${id} has no rejected payload: see \`lockhound rejected list\``);
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
