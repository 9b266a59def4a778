import { readInsightsData } from '../embedded/insights/given-data.ts';
import { type LocalServices, startLocalServices } from '../embedded/local-services.ts';
import type { WebhookKey } from '../embedded/webhooks/service.ts';
import type { Secret } from '../model/secret.ts';
import { readServicesSettings, type ServicesSettings } from './services-settings.ts';

export interface ServicesOptions {
  /** A YAML file. */
  readonly settings?: string | undefined;
  /** Overrides the file. */
  readonly given: ServicesSettings;
  /** Permissions of the default key. Default: all. */
  readonly permissions?: WebhookKey['permissions'] | undefined;
  /** The default key, which is used unless the file has others. */
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
}

const SERVICES = ['insights', 'webhooks', 'receiver', 'discovery'] as const;
const PORTS = { insights: 8701, webhooks: 8702, receiver: 8703, discovery: 8704 } as const;

/** Starts the local services. Throws `FileError`, `ServicesError` and `EmbeddedError`. */
export async function startServices(options: ServicesOptions): Promise<LocalServices> {
  const read = options.settings === undefined ? {} : readServicesSettings(options.settings);
  const own = defaults(options);
  const { data, ...settings } = [read, options.given].reduce(merged, own);
  if (data === undefined) return startLocalServices(settings);
  const insights = { ...settings.insights, data: await readInsightsData(data) };
  return startLocalServices({ ...settings, insights });
}

function defaults({ apiKey, applicationKey, permissions }: ServicesOptions): ServicesSettings {
  const key = { apiKey: apiKey.reveal(), applicationKey: applicationKey.reveal() };
  return {
    insights: { port: PORTS.insights },
    webhooks: {
      port: PORTS.webhooks,
      keys: [permissions === undefined ? key : { ...key, permissions }],
    },
    receiver: { port: PORTS.receiver },
    discovery: { port: PORTS.discovery },
  };
}

/** Merges the settings of each service. Those of `above` take precedence. */
function merged(below: ServicesSettings, above: ServicesSettings): ServicesSettings {
  const services = SERVICES.map((name) => [name, { ...below[name], ...above[name] }] as const);
  return { ...below, ...above, ...Object.fromEntries(services) };
}
