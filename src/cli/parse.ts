import type { Command } from 'commander';
import type { ParseOptions as CommandOptions } from '../commands/parse.ts';
import { isConfigured } from '../config/is-configured.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import type { ParsedFile } from '../model/scan/parsed-file.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import { type DestinationOptions, withDestination, withDestinationOptions } from './output-file.ts';
import { type OutputOptions, withOutputFormat } from './output-format.ts';
import { interruptible } from './signals.ts';
import type { Terminal } from './terminal.ts';

interface ParseOptions extends OutputOptions, DestinationOptions {
  readonly as?: string;
  readonly formats?: boolean;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  lockhound parse .                           what every lockfile below this folder holds
  lockhound parse pnpm-lock.yaml --json       one JSON object for the file, on one line
  lockhound parse deps.txt --as requirements-txt
  lockhound parse --formats                   what can be read, and what each format tells

With --json each line is {"path", "format", "complete", "packages", "problems"} or {"path", "error": {"code", "message"}}; what
a file does not tell is null. "complete" is false where packages may be missing from the list: a problem of kind "unread".

Exit codes: 0 all read whole, 2 a file could not be read, or not all of it (what was read is printed).`;

export function parseCommand(command: Command, { terminal, exit }: CommandContext): void {
  withDestinationOptions(withOutputFormat(command, 'print one line of JSON for each file'))
    .argument('[paths...]', 'lockfiles, or folders that are searched for them', ['.'])
    .option('--as <name>', 'read every file that is named as this format (`--formats` lists them)')
    .option('--formats', 'list the formats, their file names and what each can tell')
    .option('-c, --config <file>', 'configuration file, for the limits of size')
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
  const formats = describeFormats();
  if (json) return terminal.out(`${formats.map((one) => JSON.stringify(one)).join('\n')}\n`);
  const { formatsText } = await import('../report/parsed-file.ts');
  terminal.out(formatsText(formats, terminal));
}

async function parse(terminal: Terminal, paths: readonly string[], options: ParseOptions): Promise<number> {
  const { as: format } = options;
  const limits = await lockfileLimits(options.config);
  const print = await printer(terminal, options);
  const { parseFiles } = await import('../commands/parse.ts');
  const counts: Counts = { files: 0, packages: 0, unread: 0, incomplete: 0 };
  await interruptible(async (signal) => {
    const named = format === undefined ? {} : { format };
    for await (const file of parseFiles({ paths, limits, signal, ...named })) {
      count(counts, file);
      print(file);
    }
  });
  if (options.format !== 'json' && counts.files > 1) terminal.out(countsText(counts));
  return counts.unread + counts.incomplete > 0 ? EXIT.error : EXIT.clean;
}

type Limits = Exclude<CommandOptions['limits'], undefined>;

/** The limits of the configuration; none where everything has its default. */
async function lockfileLimits(file: string | undefined): Promise<Limits> {
  if (file === undefined && !isConfigured()) return {};
  const { loadConfig } = await import('../config/load.ts');
  return loadConfig({ file }).config.lockfiles;
}

async function printer(terminal: Terminal, { format }: ParseOptions): Promise<(file: ParsedFile) => void> {
  if (format === 'json') {
    const { parsedFileJson } = await import('../report/parsed-file-json.ts');
    return (file) => terminal.out(parsedFileJson(file));
  }
  const { parsedFileText } = await import('../report/parsed-file.ts');
  return (file) => terminal.out(parsedFileText(file, terminal));
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
  const partly = incomplete === 0 ? '' : `, ${incomplete} of them not read whole`;
  return `\n${files} files${failed}${partly}: ${packages} packages\n`;
}
