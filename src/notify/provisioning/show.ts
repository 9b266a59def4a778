import type { Desired } from '../webhooks/definition.ts';
import { readIfThere } from './compare.ts';
import { type Account, isSecret } from './resources.ts';

export interface ShowOptions extends Account {
  readonly desired: Desired;
  readonly signal: AbortSignal;
}

/** The configured objects as they are on the platform, for display; holds no secret. */
export interface ShownAccount {
  /** Null when no platform is configured: then this is the configuration. */
  readonly account: string | null;
  readonly webhooks: readonly ShownWebhook[];
  readonly variables: readonly ShownVariable[];
}

interface ShownWebhook {
  readonly route: string;
  readonly name: string;
  readonly there: boolean;
  readonly url?: string;
  readonly customHeaders?: string | null;
  readonly encodeAs?: string;
  readonly payload?: string | null;
}

interface ShownVariable {
  readonly name: string;
  readonly there: boolean;
  readonly secret?: boolean;
  /** `(secret)` for a secret, in the configuration or on the platform. */
  readonly value?: string;
}

/** Reads every configured object. Throws `NotifyError`. */
export async function showAccount({ desired, signal, ...account }: ShowOptions): Promise<ShownAccount> {
  const webhooks: ShownWebhook[] = [];
  for (const { route, name } of desired.webhooks)
    webhooks.push(await showWebhook(account, route, name, signal));
  const variables: ShownVariable[] = [];
  for (const [name, wanted] of Object.entries(desired.variables)) {
    variables.push(await showVariable(account, name, 'secret' in wanted, signal));
  }
  return { account: account.account, webhooks, variables };
}

async function showWebhook(
  { client, mask }: Account,
  route: string,
  name: string,
  signal: AbortSignal,
): Promise<ShownWebhook> {
  const found = await readIfThere({ read: client.readWebhook }, name, signal);
  if (found === undefined) return { route, name, there: false };
  const { url, custom_headers: headers, encode_as: encoding, payload } = found.value;
  return {
    route,
    name,
    there: true,
    url: mask(url),
    customHeaders: typeof headers === 'string' ? mask(headers) : null,
    encodeAs: encoding ?? 'json',
    payload: typeof payload === 'string' ? mask(payload) : null,
  };
}

async function showVariable(
  { client, mask }: Account,
  name: string,
  wantedSecret: boolean,
  signal: AbortSignal,
): Promise<ShownVariable> {
  const found = await readIfThere({ read: client.readVariable }, name, signal);
  if (found === undefined) return { name, there: false };
  const secret = isSecret(found.value);
  const value = secret || wantedSecret ? '(secret)' : mask(found.value.value ?? '');
  return { name, there: true, secret, value };
}
