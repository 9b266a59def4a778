import { z } from 'zod';
import { parseYaml } from '../config/load.ts';
import { readInsightsData } from '../embedded/insights/given-data.ts';
import type { LocalServices, LocalServicesOptions } from '../embedded/local-services.ts';
import { startLocalServices } from '../embedded/local-services.ts';
import type { WebhookKey } from '../embedded/webhooks/service.ts';
import { readTextSync } from '../files/read-file.ts';
import type { Secret } from '../model/secret.ts';
import { ServicesError } from './errors.ts';

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

/** The file for `lockhound services --settings`: the options of `lockhound/testing`, and a folder of data. */
export type ServicesSettings = LocalServicesOptions & { readonly data?: string };

/** Selects the requests that a fault affects. */
const scope = {
  times: z.int().min(1).exactOptional(),
  every: z.int().min(1).exactOptional(),
  method: z.string().exactOptional(),
  path: z.string().startsWith('/').exactOptional(),
};

const fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('answer'),
    status: z.int().min(200).max(599),
    body: z.string().exactOptional(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('hang'), ...scope }),
  z.strictObject({ kind: z.literal('drop'), ...scope }),
  z.strictObject({ kind: z.literal('drop-answer'), ...scope }),
]);

const service = z.strictObject({
  port: z.int().min(0).max(65_535).exactOptional(),
  latencyMs: z.int().min(0).exactOptional(),
  faults: z.array(fault).exactOptional(),
  rateLimit: z
    .strictObject({ requests: z.int().min(1), seconds: z.int().min(1).exactOptional() })
    .exactOptional(),
});

const PERMISSIONS = ['create_webhooks', 'integrations_read', 'manage_integrations'] as const;

const key = z.strictObject({
  apiKey: z.string().min(1),
  applicationKey: z.string().min(1),
  permissions: z.array(z.enum(PERMISSIONS)).exactOptional(),
});

const webhooks = service.extend({
  headerPrefix: z
    .string()
    .regex(/^[A-Za-z][\w-]*$/, 'the first part of a header name, such as `DD`')
    .exactOptional(),
  extraKeys: z.record(z.string(), z.json()).exactOptional(),
  keys: z.array(key).min(1).exactOptional(),
});

const settingsSchema: z.ZodType<ServicesSettings> = z.strictObject({
  host: z.string().exactOptional(),
  data: z.string().exactOptional(),
  insights: service
    .extend({
      pageSize: z.int().min(1).max(5_000).exactOptional(),
      partial: z.boolean().exactOptional(),
    })
    .exactOptional(),
  webhooks: webhooks.exactOptional(),
  receiver: service.exactOptional(),
  discovery: service.exactOptional(),
});

const MAX_BYTES = 1_048_576;

/** Reads a file of settings. Throws `FileError`, `ConfigError` (`config-syntax`), and `ServicesError` with every fault and its path. */
function readServicesSettings(file: string): ServicesSettings {
  return parseServicesSettings(readTextSync(file, MAX_BYTES), file);
}

/** Reads settings from YAML. `file` is used in the message of a `ServicesError`. */
export function parseServicesSettings(text: string, file: string): ServicesSettings {
  const parsed = settingsSchema.safeParse(parseYaml(file, text) ?? {});
  if (parsed.success) return parsed.data;
  throw new ServicesError('settings-invalid', `${file}:\n${z.prettifyError(parsed.error)}`);
}
