import { type Command, InvalidArgumentError, Option } from 'commander';

const OUTPUT_FORMATS = ['table', 'json'] as const;

type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What `withOutputFormat` adds to a command's options. */
export interface OutputOptions {
  readonly format: OutputFormat;
}

/** What `withConfig` adds to a command's options. */
export interface ConfigOptions {
  readonly config?: string;
}

/** Adds `--format`, and `--json` as the short form of `--format json`. `json` describes the JSON output. */
export function withOutputFormat(command: Command, json: string): Command {
  return command
    .addOption(
      new Option('--format <name>', 'output format')
        .choices(OUTPUT_FORMATS)
        .default('table')
        .argParser(outputFormat),
    )
    .addOption(new Option('--json', `${json} (short for --format json)`).implies({ format: 'json' }));
}

export function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'configuration file');
}

function outputFormat(name: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((one) => one === name);
  if (format !== undefined) return format;
  throw new InvalidArgumentError(
    `Allowed choices are ${OUTPUT_FORMATS.join(', ')}. Use --as to set the format of a lockfile.`,
  );
}
