import type { Command } from 'commander';
import { loadOrDefault } from '../config/load-or-default.ts';
import { printable } from '../model/printable.ts';
import { EXCEPTIONS } from './operations/nouns/targets.ts';
import { columnsText } from './operations/short-answer.ts';
import { EXIT } from './program/errors.ts';
import { type ConfigOptions, type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { progressLine } from './program/progress.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface ExceptionOptions extends OutputOptions, ConfigOptions, DestinationOptions {
  readonly lookUp?: boolean;
  readonly local?: boolean;
}

const EXAMPLES = `
Examples:
  lockhound exceptions                        what overrules the tools of this folder; looks nothing up
  lockhound exceptions --look-up              also by advisories, dates, and what dependents require
  lockhound exceptions . --json               with line, reason, author and evidence of each
  lockhound targets exceptions org/shop       the same of a target of the fleet

An exception is removable when it is proven that nothing would change without it. What is not proven is unknown.

Exit codes: 0 none can be removed, 1 some can be removed or have expired, 2 an error, or a file that could not be read.`;

export function exceptionsCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withDestinationOptions(withOutputFormat(command, 'print one JSON document')))
    .argument('[path]', 'a folder, or one lockfile', '.')
    .option('--look-up', 'look the packages up, as a scan does')
    .option('--local', 'look them up at the bundled local service')
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, options: ExceptionOptions) =>
      exit(await withDestination(terminal, options, (to) => list(to, path, options))),
    );
}

async function list(terminal: Terminal, path: string, options: ExceptionOptions): Promise<number> {
  const { local = false, lookUp = local } = options;
  const loaded = await loadOrDefault(options.config);
  const progress = progressLine(terminal);
  const { findExceptions } = await import('../commands/exceptions.ts');
  const { exceptions, unread } = await interruptible((signal) =>
    findExceptions(loaded, { path, lookUp, local, signal, progress }),
  ).finally(progress.clear);
  for (const message of unread) terminal.note(`not read: ${printable(message)}\n`);
  if (options.format === 'json') terminal.out(`${JSON.stringify({ exceptions, unread })}\n`);
  else terminal.out(columnsText(EXCEPTIONS.shown({ exceptions }), EXCEPTIONS.columns, terminal));
  if (unread.length > 0 || exceptions.some(({ kind }) => kind === 'unread')) return EXIT.error;
  const ends = exceptions.some(({ verdict }) => verdict === 'removable' || verdict === 'expired');
  return ends ? EXIT.findings : EXIT.clean;
}
