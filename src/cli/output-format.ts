import { type Command, InvalidArgumentError, Option } from 'commander';

/** How results are printed: for people, or for machines. */
export const OUTPUT_FORMATS = ['table', 'json'] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What `withOutputFormat` adds to a command's options. */
export interface OutputOptions {
  readonly format: OutputFormat;
}

/** Adds `--format`, and `--json` as the short form of `--format json`; `json` says what that prints. */
export function withOutputFormat(command: Command, json: string): Command {
  return command
    .addOption(
      new Option('--format <name>', 'how to print the result')
        .choices(OUTPUT_FORMATS)
        .default('table')
        .argParser(outputFormat),
    )
    .addOption(new Option('--json', `${json} (short for --format json)`).implies({ format: 'json' }));
}

function outputFormat(name: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((one) => one === name);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(
    `Allowed choices are ${OUTPUT_FORMATS.join(', ')}. The format of a lockfile is named with --as.`,
  );
}
