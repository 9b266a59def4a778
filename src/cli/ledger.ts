import { Command, Option } from 'commander';
import { loadConfig } from '../config/load.ts';
import { sinceOf } from '../operations/parameters.ts';
import { print } from './program/admin.ts';
import { EXIT } from './program/errors.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible } from './program/terminal.ts';

const NOTES = `
Reads the commits along first parents from the objects of the repository, without a checkout, and puts what they changed before the first
recorded scan of the target. Run again, it reads only commits that it has not imported; after an interruption it goes on. Commits after the
one that the first recorded scan names, or else not older than that scan, are left out: the scans know what followed. So are commits that
are older than \`ledger.keep\`, and targets without a recorded scan.

Examples:
  lockhound ledger import . --target org/shop
  lockhound ledger import /srv/git/shop.git --target org/shop --ref main --since 365d
  lockhound ledger import . --all-branches --target 'org/shop@$BRANCH'
  lockhound ledger import --schedule acme

Exit codes: 0 done, 2 no such target, a target that failed, or an error.`;

const SHALLOW =
  'warning: the repository is a shallow clone: commits before its oldest one are not imported\n';

interface Options extends ConfigOptions, OutputOptions {
  readonly target?: string;
  readonly ref: string;
  readonly allBranches?: true;
  readonly schedule?: string | true;
  readonly since?: number;
  readonly anew?: true;
}

export function ledgerCommand(command: Command, { terminal, exit }: CommandContext): void {
  const importing = withConfig(withOutputFormat(new Command('import'), 'print JSON'));
  command.addCommand(
    importing
      .description('Import what the commits of git repositories changed in the lockfiles of targets.')
      .argument('[repository]', 'folder of the repository')
      .option('--target <id>', 'target that is scanned from this repository')
      .option('--ref <name>', 'branch, tag or commit', 'HEAD')
      .addOption(
        new Option(
          '--all-branches',
          'each branch, to the target whose id has its name in place of $BRANCH',
        ).conflicts('ref'),
      )
      .addOption(
        new Option(
          '--schedule [name]',
          'the repositories of a schedule, or of all, to its targets',
        ).conflicts(['target', 'ref', 'allBranches']),
      )
      .option(
        '--since <time>',
        'begin with the first commit since this time, such as 2026-05-01 or 365d',
        (text) => sinceOf(text),
      )
      .option('--anew', 'read commits again that are imported already')
      .addHelpText('after', NOTES)
      .action(async (repository: string | undefined, options: Options) => {
        const { config, target, ref, allBranches, schedule, since, anew, ...output } = options;
        if ((repository === undefined) !== (schedule !== undefined))
          importing.error('error: name either a repository or --schedule');
        if (repository !== undefined && target === undefined)
          importing.error('error: a repository needs a --target');
        const loaded = loadConfig({ file: config });
        const { BRANCH, importRepository, importSchedules } = await import(
          '../commands/ledger/import-ledgers.ts'
        );
        if (allBranches === true && target?.includes(BRANCH) !== true)
          importing.error(`error: --all-branches needs ${BRANCH} in --target, such as 'org/shop@${BRANCH}'`);
        const progress = progressLine(terminal);
        const onProgress = (commits: number) => progress.update('reading commits', commits, commits);
        const result = await interruptible(async (signal) => {
          const onTarget = (done: number, total: number) => progress.update('importing targets', done, total);
          const common = { since, anew, signal, onProgress, onTarget };
          if (repository === undefined || target === undefined)
            return await importSchedules(loaded, {
              ...common,
              schedule: schedule === true ? undefined : schedule,
            });
          const from = { repository, target, ref: allBranches === true ? undefined : ref };
          return await importRepository(loaded, { ...common, ...from });
        }).finally(progress.clear);
        const all = 'imported' in result ? result.imported : [result];
        if (all.some(({ shallow }) => shallow === true)) terminal.note(SHALLOW);
        print(terminal, output, result);
        if ('failed' in result && result.failed.length > 0) exit(EXIT.error);
      }),
  );
}
