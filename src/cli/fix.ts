import type { Command } from 'commander';
import { loadOrDefault } from '../config/load-or-default.ts';
import { EXIT } from './program/errors.ts';
import { type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface FixOptions extends OutputOptions, DestinationOptions {
  readonly local?: boolean;
  readonly as?: string;
  readonly config?: string;
}

/** Requests for advice. A lockfile with 200 affected packages takes about 1,000. */
const MAX_REQUESTS = 10_000;

const EXAMPLES = `
Examples:
  lockhound fix                               every lockfile below this folder
  lockhound fix package-lock.json --json      one file, with the evidence of each fix
  lockhound fix --local examples/shop         without network, against the bundled data

It prints commands and runs none of them. Every version in a command was looked up: it has no known advisory, and a direct
dependency resolves to no affected version of the package that it is upgraded for.

Exit codes: 0 no findings, 1 findings (whether or not there is a fix), 2 an error, or a scan or advice that is incomplete.`;

export function fixCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withDestinationOptions(withOutputFormat(command, 'print one JSON document')))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--local', 'use the bundled local service instead of the configured service')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: FixOptions) =>
      exit(await withDestination(terminal, options, (to) => fix(to, paths, options))),
    );
}

async function fix(terminal: Terminal, paths: readonly string[], options: FixOptions): Promise<number> {
  const loaded = await loadOrDefault(options.config);
  const progress = progressLine(terminal);
  const { scanPaths } = await import('../commands/scan.ts');
  const advised = await interruptible((signal) =>
    scanPaths(loaded, {
      paths,
      local: options.local === true,
      signal,
      progress,
      format: options.as,
      adviceRequests: MAX_REQUESTS,
    }),
  ).finally(progress.clear);
  const { fixesText, fixesJson } = await import('../report/fixes.ts');
  terminal.out(options.format === 'json' ? fixesJson(advised) : fixesText(advised, terminal));
  const { verdict, advice } = advised.report;
  if (verdict.gaps.length > 0 || (advice?.unadvised ?? []).length > 0) return EXIT.error;
  return verdict.findings.some(
    ({ advisory, suppressed }) => advisory !== undefined && suppressed === undefined,
  )
    ? EXIT.findings
    : EXIT.clean;
}
