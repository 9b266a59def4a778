import { type Command, InvalidArgumentError, Option } from 'commander';

const OUTPUT_FORMATS = ['table', 'json'];

/** The options that `withOutputFormat` adds to a command. */
export interface OutputOptions {
  readonly format: string;
}

/** The options that `withConfig` adds to a command. */
export interface ConfigOptions {
  readonly config?: string;
}

/** Adds `--format`, and `--json` as the short form of `--format json`. `json` describes the JSON output. */
export function withOutputFormat(
  command: Command,
  json: string,
  formats: readonly string[] = OUTPUT_FORMATS,
): Command {
  return command
    .addOption(
      new Option('--format <name>', 'output format')
        .choices(formats)
        .default('table')
        .argParser((name: string) => outputFormat(name, formats)),
    )
    .addOption(new Option('--json', `${json} (short for --format json)`).implies({ format: 'json' }))
    .hook('preAction', (called) => {
      const { json: isShort, format } = called.opts();
      if (isShort === true && format !== 'json')
        called.error(`error: --json is short for --format json, not ${format}`);
    });
}

export function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'configuration file');
}

/** Collects `name=value` of an option that can be repeated. */
export function collectLabel(
  text: string,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [name = '', ...value] = text.split('=');
  return { ...labels, [name]: value.join('=') };
}

function outputFormat(name: string, formats: readonly string[]): string {
  if (formats.includes(name)) return name;
  throw new InvalidArgumentError(
    `Allowed choices are ${formats.join(', ')}. Use --as to set the format of a lockfile.`,
  );
}

/** Returns a function that reads the whole number of an option or argument. It throws `InvalidArgumentError`. */
export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    const range = Number.isFinite(most) ? `from ${least} to ${most}` : `of at least ${least}`;
    throw new InvalidArgumentError(`a whole number ${range}`);
  };
}

/** The port of an option; 0: the system chooses one. */
export const parsePort = wholeNumber(0, 65_535);
