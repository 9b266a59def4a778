import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ServicesOptions } from '../commands/services.ts';
import { secretFromEnvironment } from '../config/secret-reference.ts';
import { closing } from '../model/closing.ts';
import { defined } from '../model/defined.ts';
import { parsePort, wholeNumber } from './program/options.ts';
import { type CommandContext, interruptible, type Terminal, untilAborted } from './program/terminal.ts';

interface Flags {
  readonly settings?: string;
  readonly host?: string;
  readonly insightsPort?: number;
  readonly webhooksPort?: number;
  readonly receiverPort?: number;
  readonly discoveryPort?: number;
  readonly data?: string;
  readonly pageSize?: number;
  readonly headerPrefix?: string;
  readonly permissions?: Exclude<ServicesOptions['permissions'], undefined>;
  readonly latency?: number;
  readonly rateLimit?: number;
}

export function servicesCommand(command: Command, { terminal }: CommandContext): void {
  command
    .option(
      '--settings <file>',
      'YAML file with faults, keys and more (docs/services.md); options take precedence',
    )
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--insights-port <port>',
      'port of the package-insights service (0: any; default: 8701)',
      parsePort,
    )
    .option(
      '--webhooks-port <port>',
      'port of the webhook-integration service (0: any; default: 8702)',
      parsePort,
    )
    .option('--receiver-port <port>', 'port of the receiver (0: any; default: 8703)', parsePort)
    .option('--discovery-port <port>', 'port of the discovery service (0: any; default: 8704)', parsePort)
    .option('--data <folder>', 'data of the package-insights service (default: the bundled data)')
    .option('--page-size <entries>', 'entries per page of a batch (default: 100)', wholeNumber(1, 5_000))
    .option(
      '--header-prefix <prefix>',
      'first part of the credential headers, such as DD (default: SVC)',
      prefix,
    )
    .addOption(
      new Option('--permissions <names...>', 'permissions of the default key (default: all)').choices([
        'create_webhooks',
        'integrations_read',
        'manage_integrations',
      ]),
    )
    .option('--latency <ms>', 'delay of every request in milliseconds', wholeNumber(0, 3_600_000))
    .option(
      '--rate-limit <requests>',
      'requests per second of each API; others are answered with 429',
      wholeNumber(1, 1_000_000),
    )
    .addHelpText(
      'after',
      '\nThe webhook-integration service accepts the credentials in LOCKHOUND_SECRET_API_KEY and\n' +
        'LOCKHOUND_SECRET_APPLICATION_KEY (default: local-api-key, local-application-key).\n' +
        '\nExamples:\n' +
        '  lockhound services --header-prefix DD\n' +
        '  lockhound services --permissions integrations_read --rate-limit 5\n' +
        '  lockhound services --settings services.yaml --data my-data\n' +
        '\nExit codes: 0 stopped by a signal, 2 the services could not start.',
    )
    .action((flags: Flags) => serve(flags, terminal));
}

async function serve(flags: Flags, terminal: Terminal): Promise<void> {
  const { startServices } = await import('../commands/services.ts');
  await interruptible(async (signal) => {
    await closing(startServices(optionsOf(flags)), async (services) => {
      terminal.out(
        `package insights      ${services.insights.url}\n` +
          `webhook integration   ${services.webhooks.url}\n` +
          `receiver              ${services.receiver.url}  (received alerts: GET /deliveries)\n` +
          `discovery             ${services.discovery.url}\n`,
      );
      await untilAborted(signal);
    });
  });
}

function optionsOf(flags: Flags): ServicesOptions {
  const { host, data, permissions, settings, pageSize, headerPrefix, latency, rateLimit } = flags;
  const latencyMs = latency;
  const limit = rateLimit === undefined ? undefined : { requests: rateLimit };
  return {
    settings,
    permissions,
    // One that is not given would override the file.
    given: defined({
      host,
      data,
      insights: defined({ latencyMs, rateLimit: limit, pageSize, port: flags.insightsPort }),
      webhooks: defined({ latencyMs, rateLimit: limit, headerPrefix, port: flags.webhooksPort }),
      receiver: defined({ latencyMs, port: flags.receiverPort }),
      discovery: defined({ latencyMs, port: flags.discoveryPort }),
    }),
    apiKey: secretFromEnvironment('LOCKHOUND_SECRET_API_KEY', 'local-api-key'),
    applicationKey: secretFromEnvironment('LOCKHOUND_SECRET_APPLICATION_KEY', 'local-application-key'),
  };
}

function prefix(text: string): string {
  if (/^[A-Za-z][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError('letters, digits and hyphens, such as DD');
}
