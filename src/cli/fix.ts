import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { inheritedEnvironment } from '../config/inherited-environment.ts';
import { loadOrDefault } from '../config/load-or-default.ts';
import type { AppliedFix } from '../model/advice/applied-fix.ts';
import { printable } from '../model/printable.ts';
import { faultsIn } from '../model/scan/gap.ts';
import { isAdvisable } from '../model/scan/is-alert.ts';
import type { ScanReport } from '../model/scan/verdict.ts';
import { CommandError, EXIT } from './program/errors.ts';
import { type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface FixOptions extends OutputOptions, DestinationOptions {
  readonly local?: boolean;
  readonly as?: string;
  readonly config?: string;
  readonly apply?: boolean;
  readonly check?: string;
  readonly branch?: string;
}

/** Requests for advice. A lockfile with 200 affected packages takes about 1,000. */
const MAX_REQUESTS = 10_000;

const EXAMPLES = `
Examples:
  lockhound fix                               every lockfile below this folder
  lockhound fix package-lock.json --json      one file, with the evidence of each fix
  lockhound fix --local examples/shop         without network, against the bundled data
  lockhound fix --apply --check 'npm ci && npm test'
  lockhound fix --apply --branch fix-advisories

Without --apply it prints commands and runs none of them. Every version in a command was looked up: it has no known advisory, and a direct
dependency resolves to no affected version of the package that it is upgraded for.

--apply runs the commands in a copy of the working tree, without scripts of packages, scans the copy, runs --check there, and
writes the changed files only when the findings are gone and the check succeeds.

Exit codes: 0 no findings, 1 findings (whether or not there is a fix), 2 an error, or a scan or advice that is incomplete. With
--apply: 0 everything that has a fix was written, 1 findings stay, 2 an error, or the check failed.`;

export function fixCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withDestinationOptions(withOutputFormat(command, 'print one JSON document')))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--local', 'use the bundled local service instead of the configured service')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .option('--apply', 'make the changes, when a scan of the result and --check succeed')
    .option('--check <command>', 'a command of a shell that has to succeed before anything is written')
    .option('--branch <name>', 'commit the result on this new branch, and leave the files as they are')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: FixOptions) =>
      exit(await withDestination(terminal, options, (to) => fix(to, paths, options))),
    );
}

async function fix(terminal: Terminal, paths: readonly string[], options: FixOptions): Promise<number> {
  const folder = requireApplicable(paths, options);
  const { advised, applied } = await interruptible((signal) =>
    adviseAndApply(terminal, paths, { ...options, ...(options.apply === true ? { folder } : {}), signal }),
  );
  const { fixesText, fixesJson } = await import('../report/fixes.ts');
  const { appliedText } = await import('../report/applied-fix.ts');
  if (options.format === 'json') terminal.out(fixesJson({ ...advised, applied }));
  else
    terminal.out(
      fixesText(advised, terminal) + (applied === undefined ? '' : `\n${appliedText(applied, terminal)}`),
    );
  return applied === undefined ? exitOf(advised.report) : exitOfApplied(advised.report, applied);
}

type AdviseOptions = Pick<FixOptions, 'config' | 'local' | 'as' | 'check' | 'branch'> & {
  /** The folder that the fix is applied to; absent: nothing is applied. */
  readonly folder?: string;
  /** See `ApplyOptions`. */
  readonly isRemote?: boolean;
  readonly signal: AbortSignal;
};

/** Scans paths, advises, and applies the advice. */
export async function adviseAndApply(terminal: Terminal, paths: readonly string[], options: AdviseOptions) {
  const { folder, signal } = options;
  const loaded = await loadOrDefault(options.config);
  const progress = progressLine(terminal);
  const { scanPaths } = await import('../commands/scan.ts');
  const scan = (given: readonly string[], adviceRequests: number) =>
    scanPaths(loaded, {
      paths: given,
      local: options.local === true,
      target: basename(resolve(paths[0] ?? '.')) || 'target',
      signal,
      progress,
      format: options.as,
      adviceRequests,
      exceptionRequests: adviceRequests,
    });
  try {
    const scanned = await scan(paths, MAX_REQUESTS);
    const { removalsIn } = await import('../commands/fix/removals.ts');
    const advised = { ...scanned, removals: removalsIn(scanned.report) };
    if (folder === undefined) return { advised, applied: undefined };
    const { applyFix } = await import('../commands/fix/apply-fix.ts');
    const applied = await applyFix({
      ...{ folder, plans: advised.plans, removals: advised.removals, before: advised.report, signal },
      ...{ check: options.check, branch: options.branch, isRemote: options.isRemote },
      scan: async (copy) => (await scan([copy], 0)).report,
      inherited: inheritedEnvironment(),
      onStep(text) {
        progress.clear();
        terminal.note(`${printable(text)}\n`);
      },
    });
    return { advised, applied };
  } finally {
    progress.clear();
  }
}

/** The folder that is fixed. Throws a usage error for options that need each other, and for --apply to several paths. */
export function requireApplicable(
  paths: readonly string[],
  options: Pick<FixOptions, 'apply' | 'check' | 'branch'>,
): string {
  const { apply, check, branch } = options;
  if (apply !== true && (check !== undefined || branch !== undefined))
    throw new CommandError('options-unsuited', '--check and --branch need --apply');
  const [folder = '.', ...others] = paths;
  if (apply === true && (others.length > 0 || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()))
    throw new CommandError('options-unsuited', '--apply takes one folder: that of the project');
  return folder;
}

function exitOf({ verdict, advice }: ScanReport): number {
  if (faultsIn(verdict.gaps).length > 0 || (advice?.unadvised ?? []).length > 0) return EXIT.error;
  return verdict.findings.some(isAdvisable) ? EXIT.findings : EXIT.clean;
}

/** The exit code after a fix: 1 for findings that stay. */
export function exitOfApplied({ verdict }: ScanReport, applied: AppliedFix): number {
  if (applied.failedCheck !== undefined || applied.restored !== undefined) return EXIT.error;
  const cleared = new Set(applied.plans.flatMap(({ advisories = [] }) => advisories));
  const stays = verdict.findings.some((one) => isAdvisable(one) && !cleared.has(one.advisory?.id ?? ''));
  return stays || applied.plans.some(({ reason }) => reason !== undefined) ? EXIT.findings : EXIT.clean;
}
