import type { Command } from 'commander';
import type { Proposed } from '../commands/ci/propose-fix.ts';
import { inheritedEnvironment } from '../config/inherited-environment.ts';
import { printable } from '../model/printable.ts';
import { adviseAndApply, exitOfApplied, requireApplicable } from './fix.ts';
import { EXIT } from './program/errors.ts';
import { withConfig } from './program/options.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface CiFixOptions {
  readonly config?: string;
  readonly local?: boolean;
  readonly check?: string;
  readonly branch: string;
}

const HELP = `
Runs \`lockhound fix --apply\`, commits the result for the branch of the job, pushes it to --branch, and opens one pull request at GitHub
or merge request at GitLab, which later runs update. A branch that somebody else committed to stays as it is, and the changes of a pull
request that somebody closed are not proposed again.

GITHUB_TOKEN or GITLAB_TOKEN is the only secret: it may push and open pull requests. Commands of the fix and --check do not get it.

Exit codes: 0 nothing is left to fix but what the pull request has, 1 findings stay, 2 an error, or the check failed.`;

/** Adds `ci fix`. */
export function fixCommandOf(command: Command, context: CommandContext): void {
  const fix = command
    .command('fix')
    .description('Open a pull request with the advised fixes, in a job of GitHub Actions or GitLab CI.');
  withConfig(fix)
    .argument('[folder]', 'folder of the project', '.')
    .option('--check <command>', 'a command of a shell that has to succeed before anything is pushed')
    .option('--branch <name>', 'branch of the pull request', 'lockhound/fixes')
    .option('--local', 'use the bundled data instead of the configured service')
    .addHelpText('after', HELP)
    .action(async (folder: string, options: CiFixOptions) =>
      context.exit(await interruptible((signal) => proposeFixes(context.terminal, folder, options, signal))),
    );
}

const SAYS: Readonly<Record<Proposed['outcome'], string>> = {
  created: 'Opened',
  updated: 'Updated',
  unchanged: 'It is up to date:',
  declined: 'Somebody closed a pull request with these changes, so that none is opened:',
};

async function proposeFixes(
  terminal: Terminal,
  folder: string,
  options: CiFixOptions,
  signal: AbortSignal,
): Promise<number> {
  requireApplicable([folder], { ...options, apply: true });
  const { proposalEnvironment } = await import('../config/github-environment.ts');
  const { proposeFix } = await import('../commands/ci/propose-fix.ts');
  const { CiError } = await import('../commands/ci/errors.ts');
  const { base, token, ...environment } = proposalEnvironment();
  const { branch } = options;
  if (token === undefined)
    throw new CiError(
      'not-applicable',
      `${environment.host === 'gitlab' ? 'GITLAB_TOKEN' : 'GITHUB_TOKEN'} is not set`,
    );
  if (base === undefined)
    throw new CiError('not-applicable', 'this job is for no branch: use one of a push or of a schedule');
  if (base === branch) {
    terminal.out(`${branch} is the branch of the fixes itself: there is nothing to do.\n`);
    return EXIT.clean;
  }
  const { advised, applied } = await adviseAndApply(terminal, [folder], {
    ...options,
    folder,
    isRemote: true,
    signal,
  });
  if (applied === undefined) throw new RangeError('nothing was applied');
  const { fixesText } = await import('../report/fixes.ts');
  const { appliedText } = await import('../report/applied-fix.ts');
  terminal.out(`${fixesText(advised, terminal)}\n${appliedText(applied, terminal)}`);
  const { commit, message } = applied;
  if (commit !== undefined && message !== undefined) {
    const proposal = { folder, commit, message, branch, inherited: inheritedEnvironment(), signal };
    const { outcome, url } = await proposeFix({ ...environment, base, token }, proposal);
    terminal.out(`${SAYS[outcome]} ${printable(url)}\n`);
  }
  return exitOfApplied(advised.report, applied);
}
