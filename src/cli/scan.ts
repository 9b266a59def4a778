import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import type { CommandContext } from './context.ts';
import { withConfig, withOutputFormat } from './options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './output-file.ts';
import { progressLine } from './progress.ts';
import { EXIT_CODES, printScan, type ResultOptions, withFailOn } from './scan-result.ts';
import { interruptible } from './signals.ts';
import type { Terminal } from './terminal.ts';

interface ScanOptions extends ResultOptions, DestinationOptions {
  readonly local?: boolean;
  readonly target?: string;
  readonly as?: string;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  lockhound scan                              every lockfile below this folder
  lockhound scan package-lock.json --json     one file, as JSON
  lockhound scan . --fail-on high             exit code 1 only for high and critical findings
  lockhound scan --local examples/shop        without network, against the bundled data

${EXIT_CODES}`;

export function scanCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withFailOn(withDestinationOptions(withOutputFormat(command, 'print one JSON document'))))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--local', 'use the bundled local service instead of the configured service')
    .option('--target <id>', 'name of the target (default: the name of the folder)')
    .option('--as <name>', 'read every file as this format (`lockhound parse --formats` lists them)')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: ScanOptions) =>
      exit(await withDestination(terminal, options, (to) => scan(to, paths, options))),
    );
}

async function scan(terminal: Terminal, paths: readonly string[], options: ScanOptions): Promise<number> {
  const loaded = loadConfig({ file: options.config });
  const progress = progressLine(terminal);
  const { scanPaths } = await import('../commands/scan.ts');
  const report = await interruptible((signal) =>
    scanPaths(loaded, {
      paths,
      local: options.local === true,
      signal,
      onProgress: progress.update,
      target: options.target,
      format: options.as,
    }),
  ).finally(progress.clear);
  return await printScan(terminal, report, options);
}
