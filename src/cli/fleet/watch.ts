import { Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../../config/values.ts';
import { followedText, moveLines } from '../../report/fleet/followed-package.ts';
import { type AdminOptions, administering, print, withAdminOptions } from '../program/admin.ts';
import type { CommandContext } from '../program/context.ts';
import { EXIT } from '../program/exit-code.ts';
import { interruptible } from '../program/signals.ts';
import { ECOSYSTEM_HELP, reportUnreadable } from './options.ts';

interface WatchOptions extends AdminOptions {
  readonly ecosystem?: string;
  readonly follow?: boolean;
  readonly every: number;
}

const administer = administering(
  async () => (await import('../../commands/fleet/follow-package.ts')).openFollow,
);

const EVERY_MS = 10_000;

const EXAMPLES = `
Examples:
  lockhound watch package left-pad                    versions, when each was first seen, and who holds back
  lockhound watch package left-pad --follow           and then every target that takes or leaves a version
  lockhound watch package pkg:npm/left-pad --follow --json | jq .moves

With --json, --follow prints one line for each change.
Exit codes: 0 found, 1 no target holds it, 2 an error or an incomplete result, 130 interrupted.`;

export function watchCommand(command: Command, context: CommandContext): void {
  command.addCommand(packageCommand(context)).addHelpText('after', EXAMPLES);
}

function packageCommand(context: CommandContext): Command {
  return withAdminOptions(new Command('package'))
    .description('Follow one package: its versions in the fleet, and the targets that hold them.')
    .argument('<package>', 'a purl or a name, with or without `@` and a version or range')
    .option('--ecosystem <name>', ECOSYSTEM_HELP)
    .option('-f, --follow', 'go on and print what changes')
    .addOption(
      new Option('--every <duration>', 'how often to look for changes')
        .default(EVERY_MS, '10s')
        .argParser(parseEvery),
    )
    .action((text: string, options: WatchOptions) => watchPackage(context, text, options));
}

async function watchPackage(context: CommandContext, text: string, options: WatchOptions): Promise<void> {
  const { terminal, exit } = context;
  const { readPackageQuery } = await import('../../operations/packages/query.ts');
  const query = readPackageQuery(text, { ecosystem: options.ecosystem });
  await administer(options, async (admin) => {
    const found = await admin.read(query);
    const head = { schema: 'lockhound.package/1', query };
    print(terminal, options, { ...head, ...found, unreadable: admin.unreadable }, () =>
      followedText({ ...found, query: text.trim() }, terminal),
    );
    if (found.targets.length === 0) exit(EXIT.notFound);
    reportUnreadable(context, admin.unreadable);
    if (options.follow !== true) return;
    await interruptible(async (signal) => {
      for await (const { moves, now } of admin.moves(query, found, { everyMs: options.every, signal })) {
        const at = new Date().toISOString();
        print(terminal, options, { ...head, at, moves, versions: now.versions }, () =>
          moveLines(moves, { at, versions: now.versions }, terminal),
        );
      }
      signal.throwIfAborted();
    });
  });
}

function parseEvery(text: string): number {
  const parsed = duration.safeParse(text);
  if (!parsed.success || parsed.data < 1_000) throw new InvalidArgumentError('a duration of at least `1s`');
  return parsed.data;
}
