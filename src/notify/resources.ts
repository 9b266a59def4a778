import type { KeyObject } from 'node:crypto';
import type { AppliedSecrets } from '../model/applied-secrets.ts';
import type { Secret } from '../model/secret.ts';
import type { DesiredWebhook, VariableValue } from './definition.ts';
import { keyedHash } from './keyed-hash.ts';
import type {
  WebhooksIntegration,
  WebhooksIntegrationCustomVariableResponse,
  WebhooksIntegrationCustomVariableUpdateRequest,
  WebhooksIntegrationUpdateRequest,
} from './platform/api.generated.ts';
import type { PlatformClient } from './platform/client.ts';
import { genericPreset } from './presets/generic.ts';
import type { Resource } from './reconcile.ts';
import { sameHeaders, samePayload } from './same-meaning.ts';

/** Where things are provisioned, and what is remembered of it. */
export interface Account {
  readonly client: PlatformClient;
  readonly appliedSecrets: AppliedSecrets;
  /** Tells accounts apart in what is remembered, such as the platform's base URL. Holds no secret. */
  readonly account: string;
  /** From `deriveHashKey`. */
  readonly hashKey: KeyObject;
}

type VariableResource = Resource<
  WebhooksIntegrationCustomVariableResponse,
  WebhooksIntegrationCustomVariableUpdateRequest
>;

export function webhookResource(
  { client }: Account,
  { webhook }: DesiredWebhook,
): Resource<WebhooksIntegration, WebhooksIntegrationUpdateRequest> {
  const headers = webhook.headers ?? {};
  const desired = {
    name: webhook.name,
    url: webhook.url,
    custom_headers: Object.keys(headers).length === 0 ? null : JSON.stringify(headers),
    encode_as: webhook.encodeAs ?? 'json',
    payload: webhook.payload === undefined ? genericPreset.payload : webhook.payload,
  } as const;
  const { name, url, custom_headers, encode_as, payload } = desired;
  return {
    kind: 'webhook',
    name,
    fields: ['url', 'custom_headers', 'encode_as', 'payload'],
    read: (signal) => client.readWebhook(name, signal),
    differences: async (actual) => ({
      ...(actual.url === url ? {} : { url }),
      ...(sameHeaders(actual.custom_headers ?? null, custom_headers) ? {} : { custom_headers }),
      ...((actual.encode_as ?? 'json') === encode_as ? {} : { encode_as }),
      ...(samePayload(actual.payload ?? null, payload) ? {} : { payload }),
    }),
    create: async (signal) => void (await client.createWebhook(desired, signal)),
    update: async (changes, signal) => void (await client.updateWebhook(name, changes, signal)),
  };
}

export function variableResource(account: Account, name: string, desired: VariableValue): VariableResource {
  return 'secret' in desired
    ? secretResource(account, name, desired.secret)
    : plainResource(account, name, desired.value);
}

function plainResource(
  { client, appliedSecrets, account }: Account,
  name: string,
  value: string,
): VariableResource {
  return {
    kind: 'variable',
    name,
    fields: ['value', 'is_secret'],
    read: (signal) => client.readVariable(name, signal),
    differences: async (actual) => {
      // A secret that becomes readable needs its value anew, whatever it was.
      if (isSecret(actual)) return { value, is_secret: false };
      return actual.value === value ? {} : { value };
    },
    create: async (signal) => {
      await appliedSecrets.remove(account, name);
      await client.createVariable({ name, value, is_secret: false }, signal);
    },
    update: async (changes, signal) => {
      await appliedSecrets.remove(account, name);
      await client.updateVariable(name, changes, signal);
    },
  };
}

function secretResource(
  { client, appliedSecrets, account, hashKey }: Account,
  name: string,
  secret: Secret,
): VariableResource {
  const hash = keyedHash(hashKey, account, name, secret);
  /** Forgotten first: after a failure in between nobody knows what the platform holds. */
  async function remembering(write: () => Promise<unknown>): Promise<void> {
    await appliedSecrets.remove(account, name);
    await write();
    await appliedSecrets.write(account, name, hash);
  }
  return {
    kind: 'variable',
    name,
    fields: ['value', 'is_secret'],
    read: (signal) => client.readVariable(name, signal),
    differences: async (actual) => {
      if (!isSecret(actual)) return { value: secret.reveal(), is_secret: true };
      return (await appliedSecrets.read(account, name)) === hash ? {} : { value: secret.reveal() };
    },
    create: (signal) =>
      remembering(() => client.createVariable({ name, value: secret.reveal(), is_secret: true }, signal)),
    update: (changes, signal) => remembering(() => client.updateVariable(name, changes, signal)),
  };
}

/** The value of a secret is in no answer (rule 4), so its absence tells where `is_secret` is missing. */
function isSecret({ is_secret, value }: WebhooksIntegrationCustomVariableResponse): boolean {
  return is_secret ?? value === undefined;
}
