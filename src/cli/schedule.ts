import { Command } from 'commander';
import { scheduleListText, scheduleText } from '../report/administration/schedule-text.ts';
import { type AdminOptions, administering, print, withAdminOptions } from './program/admin.ts';
import type { CommandContext } from './program/context.ts';
import { CommandError } from './program/errors.ts';
import { collectLabel } from './program/options.ts';
import type { Terminal } from './program/terminal.ts';

const administer = administering(async () => (await import('../commands/schedules.ts')).openScheduleAdmin);

const EXAMPLES = `
Examples:
  lockhound schedule add shop --git https://github.com/acme/shop.git --every 6h
  lockhound schedule add acme --git https://git.example/a.git --git https://git.example/b.git --target '$NAME' --cron '0 6 * * 1-5' --time-zone Europe/Berlin
  lockhound schedule add sboms --path '/srv/sboms/*.cdx.json' --every 1h --label team=platform
  lockhound schedule show acme                runs and targets, those that cannot be read first
  lockhound schedule run acme                 start a run now

Schedules of the configuration (\`schedules\`) can be paused, and not removed. docs/schedules.md describes sources.
Exit codes: 0 done, 2 an error or no such schedule.`;

export function scheduleCommand(command: Command, { terminal }: CommandContext): void {
  command
    .addCommand(addCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(showCommand(terminal))
    .addCommand(runCommand(terminal))
    .addCommand(
      changeCommand(terminal, 'pause', 'Stop the runs of a schedule until it is resumed.', 'is paused'),
    )
    .addCommand(changeCommand(terminal, 'resume', 'Let a paused schedule run again.', 'is resumed'))
    .addCommand(removeCommand(terminal))
    .addCommand(forgetCommand(terminal))
    .addHelpText('after', EXAMPLES);
}

interface AddOptions extends AdminOptions {
  readonly git?: readonly string[];
  readonly url?: readonly string[];
  readonly path?: readonly string[];
  readonly ref?: string;
  readonly as?: string;
  readonly oneTarget?: boolean;
  readonly exclude?: readonly string[];
  readonly credentials?: string;
  readonly target?: string;
  readonly label?: Readonly<Record<string, string>>;
  readonly every?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly jitter?: string;
  readonly replace?: boolean;
}

function addCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('add'))
    .description('Add a schedule. Workers run it from now on.')
    .argument('<name>', 'name of the schedule')
    .option('--git <url>', 'repository: URL or absolute path; can be repeated, each is one target', collect)
    .option('--url <url>', 'lockfile or SBOM; can be repeated, each is one target', collect)
    .option('--path <glob>', 'files and folders on the worker; can be repeated', collect)
    .option('--ref <name>', 'branch or tag of the repositories (default: their default branch)')
    .option('--as <format>', 'format of the files at --url')
    .option('--one-target', 'all matches of --path are one target')
    .option('--exclude <pattern>', 'leave files out, in the notation of .gitignore; can be repeated', collect)
    .option('--credentials <name>', 'entry of `credentials` in the configuration of the workers')
    .option('-t, --target <id>', 'id of the target, or a template with $PATH, $NAME, $HOST, $SCHEDULE')
    .option('-l, --label <name=value>', 'label of the targets; can be repeated', collectLabel)
    .option('--every <duration>', 'time between two runs, such as `6h`')
    .option('--cron <expression>', 'or when it runs, such as `0 6 * * 1-5`')
    .option('--time-zone <name>', 'time zone of --cron (default: UTC)')
    .option('--jitter <duration>', 'delay each run by a random time up to this')
    .option('--replace', 'replace a schedule of this name, and take over targets that exist')
    .action((name: string, options: AddOptions) => {
      const { target, label: labels, every, cron, timeZone, jitter, replace = false } = options;
      const times = defined({ every, cron, timeZone, jitter });
      const written = { name, source: sourceOf(options), ...defined({ target, labels }), ...times };
      return administer(options, async (admin) => {
        const added = await admin.add(written, { replace });
        print(terminal, options, added, () => `Schedule ${name} is added.\n`);
      });
    });
}

function sourceOf(options: AddOptions): object {
  const { git, url, path, ref, as: format, oneTarget, exclude, credentials } = options;
  const kinds = [git, url, path].filter((one) => one !== undefined);
  if (kinds.length !== 1) {
    throw new CommandError('nothing-asked', 'name a source: one of --git, --url and --path');
  }
  if (git !== undefined) {
    return { kind: 'git', repositories: git, ...defined({ ref, credentials, exclude }) };
  }
  if (url !== undefined) return { kind: 'url', urls: url, ...defined({ format, credentials }) };
  return {
    kind: 'path',
    paths: path,
    ...defined({ exclude }),
    ...(oneTarget === true ? { targets: 'all' } : {}),
  };
}

function listCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('list'))
    .description('List schedules with their last and next runs.')
    .action((options: AdminOptions) =>
      administer(options, async (admin) => {
        const found = await admin.list();
        print(terminal, options, found, () => scheduleListText(found, terminal));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('show'))
    .description('Show a schedule with its runs and its targets.')
    .argument('<name>', 'name of the schedule')
    .action((name: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const found = await admin.show(name);
        print(terminal, options, found, () => scheduleText(found, terminal));
      }),
    );
}

function runCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('run'))
    .description('Start a run now, also of a paused schedule.')
    .argument('<name>', 'name of the schedule')
    .action((name: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        await admin.run(name);
        print(terminal, options, { name }, () => `A run of schedule ${name} is enqueued.\n`);
      }),
    );
}

function changeCommand(
  terminal: Terminal,
  what: 'pause' | 'resume',
  description: string,
  done: string,
): Command {
  return withAdminOptions(new Command(what))
    .description(description)
    .argument('<name>', 'name of the schedule')
    .action((name: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const changed = await admin[what](name);
        print(terminal, options, changed, () => `Schedule ${name} ${done}.\n`);
      }),
    );
}

function removeCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('remove'))
    .description('Remove a schedule. Its targets and their findings stay.')
    .argument('<name>', 'name of the schedule')
    .action((name: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        await admin.remove(name);
        print(terminal, options, { name }, () => `Schedule ${name} is removed.\n`);
      }),
    );
}

function forgetCommand(terminal: Terminal): Command {
  return withAdminOptions(new Command('forget'))
    .description('Forget a target that no longer exists; its finding `unwatched` is resolved.')
    .argument('<name>', 'name of the schedule')
    .argument('<target>', 'id of the target')
    .action((name: string, target: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        await admin.forget(name, target);
        print(
          terminal,
          options,
          { name, target },
          () => `Target ${target} of schedule ${name} is forgotten.\n`,
        );
      }),
    );
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function defined(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
