import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { isReadWhole } from '../model/scan/lockfile.ts';
import { formatsText, parsedFileJson, parsedFileText } from '../report/parsed-file.ts';
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
  terminal.out(
    json ? `${formats.map((one) => JSON.stringify(one)).join('\n')}\n` : formatsText(formats, terminal),
  );
}

async function parse(terminal: Terminal, paths: readonly string[], options: ParseOptions): Promise<number> {
  const { config } = loadConfig(options.config === undefined ? {} : { file: options.config });
  // Loaded when it is used: `--help` and errors need none of it.
  const { parseFiles } = await import('../commands/parse.ts');
  let unread = 0;
  let incomplete = 0;
  let packages = 0;
  let files = 0;
  await interruptible(async (signal) => {
    const { as } = options;
    const limits = config.lockfiles;
    for await (const file of parseFiles({
      paths,
      limits,
      signal,
      ...(as === undefined ? {} : { format: as }),
    })) {
      files += 1;
      packages += file.lockfile?.packages.length ?? 0;
      if (file.error !== undefined) unread += 1;
      else if (!isReadWhole(file.lockfile)) incomplete += 1;
      terminal.out(options.format === 'json' ? parsedFileJson(file) : parsedFileText(file, terminal));
    }
  });
  if (options.format !== 'json' && files > 1) {
    const failed = unread === 0 ? '' : `, ${unread} of them not read`;
    const partly = incomplete === 0 ? '' : `, ${incomplete} of them not read whole`;
    terminal.out(`\n${files} files${failed}${partly}: ${packages} packages\n`);
  }
  return unread + incomplete > 0 ? EXIT.error : EXIT.clean;
}
