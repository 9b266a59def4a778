import { Command } from 'commander';
import { configAsWritten, type LoadedConfig, loadConfig, namedSecrets } from '../config/load.ts';
import { settings } from '../config/variables.ts';
import { messageOf } from '../model/errors.ts';
import { configText, settingsText } from '../report/config-text.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly settings?: boolean;
}

export function configCommand(group: Command, { terminal, exit }: CommandContext): void {
  const command = new Command('check')
    .description('Validate the configuration and print the settings in effect with secrets masked.')
    .addHelpText('after', '\nExit codes: 0 valid, 2 not valid or a secret is missing.')
    .option('-c, --config <file>', 'configuration file (default: $LOCKHOUND_CONFIG, then lockhound.yaml)')
    .option('--json', 'print JSON')
    .option('--settings', 'list every setting with its environment variable instead')
    .action((options: CheckOptions) => {
      if (options.settings === true) return terminal.out(settingsText(settings(), terminal));
      exit(check(terminal, options));
    });
  group.addCommand(command);
}

function check(terminal: Terminal, { config: named, json }: CheckOptions): number {
  const loaded = loadConfig({ file: named });
  const { variables, ...secrets } = loaded.secrets;
  const checked = {
    file: loaded.file ?? null,
    config: configAsWritten({ file: named }),
    missingSecrets: missingSecrets(loaded),
  };
  if (json === true) {
    const document = { ...checked, secrets: { ...secrets, variables: Object.fromEntries(variables) } };
    terminal.out(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    const secretNames = [...namedSecrets(loaded.secrets).keys()];
    terminal.out(configText({ ...checked, secretNames, notes: notesOn(loaded) }, terminal));
  }
  return checked.missingSecrets.length === 0 ? EXIT.clean : EXIT.error;
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

function notesOn({ config: { redis, notify } }: LoadedConfig): readonly string[] {
  return [
    ...(redis.url === undefined
      ? ['redis.url is not set: `lockhound worker` starts only with --ephemeral and then stores nothing.']
      : []),
    ...(notify === undefined ? ['notify is not set: changes are recorded, and no alerts are sent.'] : []),
  ];
}
