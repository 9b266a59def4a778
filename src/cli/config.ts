import { Command } from 'commander';
import {
  configAsWritten,
  type LoadedConfig,
  loadConfig,
  missingSecrets,
  namedSecrets,
} from '../config/load.ts';
import { IGNORED_LINKS } from '../config/service-links.ts';
import { settings } from '../config/variables.ts';
import { isObject } from '../model/json-object.ts';
import { print } from './program/admin.ts';
import { EXIT } from './program/errors.ts';
import type { CommandContext, Terminal } from './program/terminal.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly settings?: boolean;
}

export function configCommand(group: Command, { terminal, exit }: CommandContext): void {
  const command = new Command('check')
    .description('Validate the configuration and print the settings in effect with secrets masked.')
    .addHelpText(
      'after',
      '\nExit codes: 0 valid, 2 not valid, a secret is missing, or a webhook template fails for some kind of event.',
    )
    .option('-c, --config <file>', 'configuration file (default: $LOCKHOUND_CONFIG, then lockhound.yaml)')
    .option('--json', 'print JSON')
    .option('--settings', 'list every setting with its environment variable instead')
    .action(async (options: CheckOptions) => {
      if (options.settings === true)
        print(
          terminal,
          { format: 'table' },
          settings().map(({ path, variable, description }) => ({
            setting: path.join('.'),
            variable,
            description,
          })),
        );
      else exit(await check(terminal, options));
    });
  group.addCommand(command);
}

async function check(terminal: Terminal, { config: named, json }: CheckOptions): Promise<number> {
  const loaded = loadConfig({ file: named });
  const missing = missingSecrets(loaded.secrets);
  // Templates are rendered with the secrets.
  const { webhookFault } = await import('../compose/notify/webhooks.ts');
  const fault = missing.length === 0 ? webhookFault(loaded) : undefined;
  const { variables, credentials = new Map(), triggers = new Map(), ...secrets } = loaded.secrets;
  const checked = {
    file: loaded.file ?? null,
    config: configAsWritten({ file: named }),
    missingSecrets: missing,
    webhookFault: fault ?? null,
    vexNotApplied: loaded.vexNotApplied ?? [],
  };
  if (json === true) {
    const document = {
      ...checked,
      secrets: {
        ...secrets,
        variables: Object.fromEntries(variables),
        credentials: Object.fromEntries(credentials),
        triggers: Object.fromEntries(triggers),
      },
    };
    terminal.out(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    const { file, config, webhookFault: _fault, ...others } = checked;
    const shown = {
      file: file ?? '(no file; environment variables and defaults)',
      secrets: [...namedSecrets(loaded.secrets).keys()],
      ...others,
      notes: notesOn(loaded),
      settings: leaves(config),
    };
    print(terminal, { format: 'table' }, shown);
  }
  if (fault !== undefined) terminal.note(`error: ${fault}\n`);
  return missing.length === 0 && fault === undefined ? EXIT.clean : EXIT.error;
}

function notesOn({
  config: { redis, notify, serve, watch },
  serviceLinks = [],
}: LoadedConfig): readonly string[] {
  return [
    ...(serviceLinks.length === 0 ? [] : [`${IGNORED_LINKS}: ${serviceLinks.join(', ')}`]),
    ...(redis.url === undefined
      ? ['redis.url is not set: `lockhound worker` starts only with --ephemeral and then stores nothing.']
      : []),
    ...(notify === undefined ? ['notify is not set: changes are recorded, and no alerts are sent.'] : []),
    ...(serve.triggers.length > 0 && serve.sources.length === 0
      ? ['serve.triggers are set and serve.sources is not: every push is refused.']
      : []),
    ...(watch.every > 0 && watch.staleAfter <= watch.every
      ? ['watch.staleAfter is not longer than watch.every: facts are out of date before each refresh.']
      : []),
  ];
}

/** The settings of a configuration, each with its path. */
function leaves(value: unknown, path: readonly string[] = []): readonly object[] {
  if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
  return [{ setting: path.join('.'), value: typeof value === 'string' ? value : JSON.stringify(value) }];
}
