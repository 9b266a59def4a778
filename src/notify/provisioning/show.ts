import type { Masker } from '../../model/secret.ts';
import type {
  WebhooksIntegration,
  WebhooksIntegrationCustomVariableResponse,
} from '../platform/api.generated.ts';
import { bodyOf, type Desired } from '../webhooks/definition.ts';
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
  const { client, mask } = account;
  const webhooks: ShownWebhook[] = [];
  for (const { route, name } of desired.webhooks) {
    const found = await readIfThere({ read: client.readWebhook }, name, signal);
    webhooks.push(shownWebhook({ route, name }, found?.value, mask));
  }
  const variables: ShownVariable[] = [];
  for (const [name, wanted] of Object.entries(desired.variables)) {
    const found = await readIfThere({ read: client.readVariable }, name, signal);
    variables.push(shownVariable(name, found?.value, 'secret' in wanted, mask));
  }
  return { account: account.account, webhooks, variables };
}

/** The configured webhooks and variables, where no platform has them. */
export function showConfigured({ webhooks, variables }: Desired, mask: Masker): ShownAccount {
  return {
    account: null,
    webhooks: webhooks.map((webhook) => shownWebhook(webhook, bodyOf(webhook), mask)),
    variables: Object.entries(variables).map(([name, variable]) => {
      const isSecret = 'secret' in variable;
      const found = isSecret ? { is_secret: true } : { is_secret: false, value: variable.value };
      return shownVariable(name, found, isSecret, mask);
    }),
  };
}

/** `found`: `undefined` when the platform does not have it. */
function shownWebhook(
  { route, name }: Pick<ShownWebhook, 'route' | 'name'>,
  found: Omit<WebhooksIntegration, 'name'> | undefined,
  mask: Masker,
): ShownWebhook {
  if (found === undefined) return { route, name, there: false };
  const { url, custom_headers: headers, encode_as: encoding, payload } = found;
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

function shownVariable(
  name: string,
  found: Omit<WebhooksIntegrationCustomVariableResponse, 'name'> | undefined,
  isWantedSecret: boolean,
  mask: Masker,
): ShownVariable {
  if (found === undefined) return { name, there: false };
  const secret = isSecret(found);
  return {
    name,
    there: true,
    secret,
    value: secret || isWantedSecret ? '(secret)' : mask(found.value ?? ''),
  };
}
