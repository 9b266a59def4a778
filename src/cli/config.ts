import { Command } from 'commander';
import { configAsWritten } from '../config/as-written.ts';
import { type LoadedConfig, loadConfig, namedSecrets } from '../config/load.ts';
import { settings } from '../config/variables.ts';
import { messageOf } from '../model/errors.ts';
import { columns, fitLines } from '../report/layout.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly settings?: boolean;
}

export function configCommand(terminal: Terminal, exit: (code: number) => void): Command {
  const check = new Command('check')
    .description('Validate the configuration and print what is in effect, secrets masked.')
    .addHelpText('after', '\nExit codes: 0 valid, 2 not valid, or a secret that it names is missing.')
    .option('-c, --config <file>', 'configuration file (default: $LOCKHOUND_CONFIG, then lockhound.yaml)')
    .option('--json', 'print JSON')
    .option('--settings', 'list every setting with its environment variable instead')
    .action((options: CheckOptions) => {
      if (options.settings === true) return terminal.out(settingsText(terminal));
      const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
      const faults = missingSecrets(loaded);
      terminal.out(
        options.json === true
          ? `${JSON.stringify(effective(loaded, faults), null, 2)}\n`
          : text(loaded, faults, terminal),
      );
      exit(faults.length === 0 ? EXIT.clean : EXIT.error);
    });
  return new Command('config').description('Look at the configuration.').addCommand(check);
}

/** Why secrets that the configuration refers to cannot be read, each with its path. */
function missingSecrets({ secrets }: LoadedConfig): readonly string[] {
  return [...namedSecrets(secrets).values()].flatMap((secret) => {
    try {
      secret.reveal();
      return [];
    } catch (error) {
      return [messageOf(error)];
    }
  });
}

function effective(loaded: LoadedConfig, missing: readonly string[]): object {
  const { secrets, file } = loaded;
  const { variables, ...others } = secrets;
  return {
    file: file ?? null,
    config: configAsWritten(loaded),
    secrets: { ...others, variables: Object.fromEntries(variables) },
    missingSecrets: missing,
  };
}

function text(loaded: LoadedConfig, missing: readonly string[], terminal: Terminal): string {
  const lines = [`Configuration: ${loaded.file ?? '(no file; environment variables and defaults)'}`, ''];
  for (const [path, value] of leaves(configAsWritten(loaded), []))
    lines.push(`${path} = ${JSON.stringify(value)}`);
  const names = [...namedSecrets(loaded.secrets).keys()];
  lines.push('', names.length === 0 ? 'No secrets.' : `Secrets: ${names.join(', ')}`);
  for (const fault of missing) lines.push(`Missing secret: ${fault}`);
  if (loaded.config.redis.url === undefined) {
    lines.push(
      'redis.url is unset: `lockhound worker` only starts with --ephemeral, and keeps nothing then.',
    );
  }
  if (loaded.config.notify === undefined)
    lines.push('notify is unset: changes are recorded, nobody is alerted.');
  return fitLines(lines, terminal);
}

function leaves(value: unknown, path: readonly string[]): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path.join('.'), value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function settingsText(terminal: Terminal): string {
  const rows = settings().map(({ path, variable, description }) => [
    path.join('.'),
    variable,
    description ?? '',
  ]);
  return `${columns(rows, terminal).join('\n')}\n`;
}
