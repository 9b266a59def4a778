import type { Command } from 'commander';
import type { CacheOptions } from '../compose/look-up-cache.ts';
import { loadOrDefault } from '../config/load-or-default.ts';
import type { LockfileComparison } from '../model/review/package-change.ts';
import { EXIT } from './program/errors.ts';
import { type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { writeParts } from './program/process-output.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface DiffOptions extends OutputOptions, DestinationOptions {
  readonly as?: string;
  readonly licences?: boolean;
  readonly cacheDir?: string;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  lockhound diff old/package-lock.json package-lock.json   two files
  lockhound diff main:package-lock.json package-lock.json  a git revision and the file here
  lockhound diff v1.2.0: HEAD:                             all lockfiles of two revisions
  lockhound diff main: . --format markdown                 a comment for a pull request

A revision is <ref>:<path>; the path begins at the root of the repository, or with ./ at the current folder. Nothing is
checked out, and nothing is looked up without --licences.

Exit codes: 0 no package changed, 1 packages changed, 2 an error or an incomplete comparison, 3 a digest changed under the
same version.`;

/** Exit code for a digest that changed under the same version. It comes before all others. */
const ALARM = 3;

export function diffCommand(command: Command, { terminal, exit }: CommandContext): void {
  const formatted = withOutputFormat(command, 'print one JSON document', ['table', 'json', 'markdown']);
  withConfig(withDestinationOptions(formatted))
    .argument('<old>', 'file, folder or <ref>:<path> of git')
    .argument('<new>', 'file, folder or <ref>:<path> of git')
    .option('--as <name>', 'read named files as this format (`lockhound parse --formats` lists them)')
    .option('--licences', 'look up licences: which changed, and which are new')
    .option('--cache-dir <folder>', 'folder of cached look-ups (default: $XDG_CACHE_HOME/lockhound)')
    .addHelpText('after', EXAMPLES)
    .action(async (old: string, current: string, options: DiffOptions) =>
      exit(await withDestination(terminal, options, (to) => diff(to, old, current, options))),
    );
}

async function diff(terminal: Terminal, old: string, current: string, options: DiffOptions): Promise<number> {
  const loaded = await loadOrDefault(options.config);
  const { diffLockfiles } = await import('../commands/review/diff.ts');
  const comparison = await interruptible((signal) =>
    diffLockfiles(loaded, {
      old,
      new: current,
      format: options.as,
      licences: options.licences === true ? cacheOf(terminal, options) : undefined,
      signal,
    }),
  );
  await writeParts(terminal, await render(comparison, options.format, terminal));
  return exitCode(comparison);
}

function cacheOf(terminal: Terminal, { cacheDir }: DiffOptions): CacheOptions {
  return { folder: cacheDir, onFault: (message) => terminal.note(`warning: ${message}\n`) };
}

async function render(
  comparison: LockfileComparison,
  format: string,
  terminal: Terminal,
): Promise<Iterable<string>> {
  switch (format) {
    case 'json':
      return (await import('../report/review/diff.ts')).diffJson(comparison);
    case 'markdown':
      return [(await import('../report/review/diff-markdown.ts')).diffMarkdown(comparison)];
    default:
      return [(await import('../report/review/diff.ts')).diffText(comparison, terminal)];
  }
}

function exitCode({ lockfiles, gaps }: LockfileComparison): number {
  const changes = lockfiles.flatMap((file) => file.changes);
  if (changes.some(({ aspects }) => aspects.includes('integrity'))) return ALARM;
  if (gaps.length > 0) return EXIT.error;
  return changes.length > 0 ? EXIT.findings : EXIT.clean;
}
