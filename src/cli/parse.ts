import type { Command } from 'commander';
import { loadOrDefault } from '../config/load-or-default.ts';
import type { ParsedFile } from '../model/lockfile/parsed-file.ts';
import { isReadWhole } from '../model/lockfile/read-whole.ts';
import { EXIT } from './program/errors.ts';
import { type OutputOptions, withConfig, withOutputFormat } from './program/options.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './program/output-file.ts';
import { writeParts } from './program/process-output.ts';
import { type CommandContext, interruptible, type Terminal } from './program/terminal.ts';

interface ParseOptions extends OutputOptions, DestinationOptions {
  readonly as?: string;
  readonly formats?: boolean;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  lockhound parse .                           the contents of every lockfile below this folder
  lockhound parse pnpm-lock.yaml --json       one JSON object for the file, on one line
  lockhound parse deps.txt --as requirements-txt
  lockhound parse --formats                   the supported formats and their facts

With --json each line is {"path", "format", "complete", "packages", "problems"} or {"path", "error": {"code", "message"}}.
Facts that a file does not contain are null. "complete" is false when packages may be missing, because of a problem of kind
"unread".

Exit codes: 0 everything was read, 2 a file could not be read completely (what was read is printed).`;

export function parseCommand(command: Command, { terminal, exit }: CommandContext): void {
  withConfig(withDestinationOptions(withOutputFormat(command, 'print one line of JSON per file')))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--as <name>', 'read the named files as this format (`--formats` lists them)')
    .option('--formats', 'list the formats with their file names and facts')
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], options: ParseOptions) =>
      withDestination(terminal, options, async (to) => {
        if (options.formats === true) return await listFormats(to, options.format === 'json');
        exit(await parse(to, paths, options));
      }),
    );
}

async function listFormats(terminal: Terminal, json: boolean): Promise<void> {
  const { describeFormats } = await import('../commands/parse.ts');
  const formats = await describeFormats();
  if (json) return terminal.out(`${formats.map((one) => JSON.stringify(one)).join('\n')}\n`);
  const { plainText } = await import('../report/answer.ts');
  terminal.out(plainText(formats, terminal));
}

async function parse(terminal: Terminal, paths: readonly string[], options: ParseOptions): Promise<number> {
  const { as: format } = options;
  const { lockfiles: limits } = (await loadOrDefault(options.config)).config;
  const print = await printer(terminal, options);
  const { parseFiles } = await import('../commands/parse.ts');
  const counts: Counts = { files: 0, packages: 0, unread: 0, incomplete: 0 };
  await interruptible(async (signal) => {
    for await (const file of parseFiles({ paths, limits, signal, format })) {
      count(counts, file);
      await print(file);
    }
  });
  if (options.format !== 'json' && counts.files > 1) terminal.out(countsText(counts));
  return counts.unread + counts.incomplete > 0 ? EXIT.error : EXIT.clean;
}

async function printer(
  terminal: Terminal,
  { format }: ParseOptions,
): Promise<(file: ParsedFile) => Promise<void>> {
  if (format === 'json') {
    const { parsedFileJson } = await import('../report/parsed-file.ts');
    return (file) => writeParts(terminal, parsedFileJson(file));
  }
  const { parsedFileText } = await import('../report/parsed-file.ts');
  return async (file) => terminal.out(parsedFileText(file, terminal));
}

interface Counts {
  files: number;
  packages: number;
  unread: number;
  incomplete: number;
}

function count(counts: Counts, { lockfile }: ParsedFile): void {
  counts.files += 1;
  counts.packages += lockfile?.packages.length ?? 0;
  if (lockfile === undefined) counts.unread += 1;
  else if (!isReadWhole(lockfile)) counts.incomplete += 1;
}

function countsText({ files, packages, unread, incomplete }: Counts): string {
  const failed = unread === 0 ? '' : `, ${unread} of them not read`;
  const partly = incomplete === 0 ? '' : `, ${incomplete} of them not read completely`;
  return `\n${files} files${failed}${partly}: ${packages} packages\n`;
}
