import { Command, InvalidArgumentError } from 'commander';
import { secretFromEnvironment } from '../config/secret-reference.ts';
import { interruptible, untilAsked } from './signals.ts';
import type { Terminal } from './terminal.ts';

interface ServicesOptions {
  readonly host: string;
  readonly insightsPort: number;
  readonly webhooksPort: number;
  readonly receiverPort: number;
  readonly discoveryPort: number;
}

export function servicesCommand(terminal: Terminal): Command {
  return new Command('services')
    .description(
      'Serve the local stand-ins: package insights, webhook integration, discovery and an alert receiver.',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--insights-port <port>', 'port of the package-insights service (0: any)', port, 8701)
    .option('--webhooks-port <port>', 'port of the webhook-integration service (0: any)', port, 8702)
    .option('--receiver-port <port>', 'port of the receiver (0: any)', port, 8703)
    .option('--discovery-port <port>', 'port of the discovery service (0: any)', port, 8704)
    .addHelpText(
      'after',
      '\nThe webhook-integration service takes the credentials in LOCKHOUND_SECRET_API_KEY and\n' +
        'LOCKHOUND_SECRET_APPLICATION_KEY (default: local-api-key, local-application-key).',
    )
    .action(async (options: ServicesOptions) => {
      const { startLocalServices } = await import('../compose/local-services.ts');
      await interruptible(async (signal) => {
        const services = await startLocalServices({
          ...options,
          apiKey: secretFromEnvironment('LOCKHOUND_SECRET_API_KEY', 'local-api-key'),
          applicationKey: secretFromEnvironment('LOCKHOUND_SECRET_APPLICATION_KEY', 'local-application-key'),
        });
        try {
          terminal.out(
            `package insights      ${services.insights.url}\n` +
              `webhook integration   ${services.webhooks.url}\n` +
              `receiver              ${services.receiver.url}  (what it got: GET /deliveries)\n` +
              `discovery             ${services.discovery.url}\n`,
          );
          await untilAsked(signal);
        } finally {
          await services.close();
        }
      });
    });
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('a port is 0 to 65535');
  return value;
}
