import { Command } from 'commander';
import { ignoreListText, importText, scopeText } from '../report/administration/ignore-text.ts';
import {
  type AdminOptions,
  administering,
  print,
  reportUnreadable,
  withAdminOptions,
} from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { collectLabel } from './program/options.ts';
import type { Terminal } from './program/terminal.ts';

const administer = administering(async () => (await import('../commands/ignore.ts')).openIgnoreAdmin);

const EXAMPLES = `
Examples:
  lockhound ignore add --advisory CVE-2021-23337 --package 'pkg:npm/lodash@<4.17.21' --reason 'not reachable' --expires 90d
  lockhound ignore add --rule deprecated --label team=legacy --all --reason 'is replaced in spring' --expires 2027-03-31
  lockhound ignore import shop.openvex.json   what a VEX document says is not affected
  lockhound ignore list                       what each suppresses, and what has no effect
  lockhound ignore remove 3f2a9c01

Workers judge all targets again within about a minute. docs/suppressions.md describes scope and effect.
Exit codes: 0 done, 2 an error or no such suppression.`;

export function ignoreCommand(command: Command, context: CommandContext): void {
  const { terminal } = context;
  command
    .addCommand(addCommand(terminal))
    .addCommand(importCommand(terminal))
    .addCommand(listCommand(context))
    .addCommand(removeCommand(terminal))
    .addHelpText('after', EXAMPLES);
}

interface AddOptions extends AdminOptions {
  readonly reason: string;
  readonly author?: string;
  readonly advisory?: readonly string[];
  readonly package?: string;
  readonly versions?: string;
  readonly rule?: string;
  readonly target?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly all?: true;
  readonly expires?: string;
}

function addCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('add'))
    .description('Suppress findings in the whole fleet.')
    .requiredOption('--reason <text>', 'why the findings do not matter')
    .option('--advisory <id>', 'advisory, or any of its aliases; can be repeated', collect)
    .option('--package <purl>', 'package, with a version, a range or neither: `pkg:npm/lodash@<4.17.21`')
    .option('--versions <range>', 'range of versions, where the purl has none')
    .option('--rule <name>', 'name of the rule')
    .option('-t, --target <id>', 'id of the target; `*` matches any text')
    .option('-l, --label <name=value>', 'label of the target; can be repeated', collectLabel)
    .option('--path <pattern>', 'path of the lockfile; `*` matches any text')
    .option('--all', 'all packages; needed where there is neither `--package` nor `--advisory`')
    .option('--expires <when>', 'last day, a time, or a duration such as `90d`')
    .option('--author <name>', 'who decided it (default: the name of the user)')
    .action(({ label: labels, advisory, ...options }: AddOptions) => {
      const { reason, author, package: purl, versions, rule, target, path, all, expires } = options;
      const scope = { advisory, package: purl, versions, rule, target, labels, path, all };
      return administer(options, async (admin) => {
        const added = await admin.add({ reason, author, expires, ...scope });
        const { suppression } = added;
        print(terminal, options, added, () => `Added: ${suppression.id}, ${scopeText(suppression)}\n`);
      });
    });
}

interface ImportOptions extends AdminOptions {
  readonly author?: string;
}

function importCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('import'))
    .description('Apply VEX documents (OpenVEX, CycloneDX). A later version of a document replaces it.')
    .argument('<file...>', 'documents in JSON')
    .option('--author <name>', 'who imports them (default: the name of the user)')
    .action((paths: string[], options: ImportOptions) =>
      administer(options, async (admin) => {
        const imported = await admin.import(paths, options.author);
        print(terminal, options, imported, () => importText(imported, terminal));
      }),
    );
}

interface ListOptions extends AdminOptions {
  readonly removed?: boolean;
}

function listCommand(context: CommandContext): Command {
  const { terminal } = context;
  return withAdminOptions(new Command('list'))
    .description('List suppressions, with the number of findings that each suppresses.')
    .option('--removed', 'also those that were removed: by whom, when and why')
    .action((options: ListOptions) =>
      administer(options, async (admin) => {
        const found = await admin.list({ removed: options.removed === true });
        print(terminal, options, { schema: 'lockhound.suppressions/1', suppressions: found }, () =>
          ignoreListText(found, terminal),
        );
        reportUnreadable(context, admin.unreadable);
      }),
    );
}

interface RemoveOptions extends AdminOptions {
  readonly reason?: string;
  readonly author?: string;
}

function removeCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('remove'))
    .description('End suppressions: their findings open again.')
    .argument('<id...>', 'ids, as `lockhound ignore list` shows them')
    .option('--reason <text>', 'why')
    .option('--author <name>', 'who decided it (default: the name of the user)')
    .action((ids: string[], options: RemoveOptions) =>
      administer(options, async (admin) => {
        const removed = await admin.remove(ids, options);
        print(terminal, options, removed, () =>
          removed.map(({ suppression }) => `Removed: ${suppression.id}\n`).join(''),
        );
      }),
    );
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
