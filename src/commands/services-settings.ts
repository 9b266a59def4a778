import { z } from 'zod';
import { parseYaml } from '../config/load.ts';
import type { LocalServicesOptions } from '../embedded/local-services.ts';
import { readTextSync } from '../files/read-file.ts';
import { ServicesError } from './errors.ts';

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
export function readServicesSettings(file: string): ServicesSettings {
  return parseServicesSettings(readTextSync(file, MAX_BYTES), file);
}

/** Reads settings from YAML. `file` is used in the message of a `ServicesError`. */
export function parseServicesSettings(text: string, file: string): ServicesSettings {
  const parsed = settingsSchema.safeParse(parseYaml(file, text) ?? {});
  if (parsed.success) return parsed.data;
  throw new ServicesError('settings-invalid', `${file}:\n${z.prettifyError(parsed.error)}`);
}
