import { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { sinceOf } from '../operations/parameters.ts';
import { print } from './program/admin.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible } from './program/terminal.ts';

const NOTES = `
Reads the commits along first parents from the objects of the repository, without a checkout, and puts what they changed before the first
recorded scan of the target. Run again, it replaces what it imported before. Commits that are not older than the first recorded scan are
left out: the scans know what followed.

Examples:
  lockhound ledger import . --target org/shop
  lockhound ledger import /srv/git/shop.git --target org/shop --ref main --since 365d

Exit codes: 0 done, 2 no such target or an error.`;

const SHALLOW =
  'warning: the repository is a shallow clone: commits before its oldest one are not imported\n';

interface Options extends ConfigOptions, OutputOptions {
  readonly target: string;
  readonly ref: string;
  readonly since?: number;
}

export function ledgerCommand(command: Command, { terminal }: CommandContext): void {
  command.addCommand(
    withConfig(withOutputFormat(new Command('import'), 'print JSON'))
      .description('Import what the commits of a git repository changed in the lockfiles of a target.')
      .argument('<repository>', 'folder of the repository')
      .requiredOption('--target <id>', 'target that is scanned from this repository')
      .option('--ref <name>', 'branch, tag or commit', 'HEAD')
      .option(
        '--since <time>',
        'begin with the first commit since this time, such as 2026-05-01 or 365d',
        (text) => sinceOf(text),
      )
      .addHelpText('after', NOTES)
      .action(async (repository: string, { config, target, ref, since, ...output }: Options) => {
        const loaded = loadConfig({ file: config });
        const { importHistory } = await import('../commands/ledger/import-history.ts');
        const progress = progressLine(terminal);
        const onProgress = (commits: number) => progress.update('reading commits', commits, commits);
        const result = await interruptible((signal) =>
          importHistory(loaded, { repository, target, ref, since, signal, onProgress }),
        ).finally(progress.clear);
        if (result.shallow === true) terminal.note(SHALLOW);
        print(terminal, output, result);
      }),
  );
}
