import type { Masker } from '../../model/masking.ts';
import type { ReadBack } from '../provisioning/provision.ts';
import type { ShownAccount } from '../provisioning/show.ts';
import { type Desired, definitionFor } from './definition.ts';
import { validateDesired } from './validate.ts';

/** What alerts are rendered with when no platform is configured. Throws `NotifyError` for what provisioning would reject. */
export function configuredAlone(desired: Desired): ReadBack {
  validateDesired(desired);
  const { webhooks, variables } = desired;
  return {
    definitions: new Map(webhooks.map((webhook) => [webhook.route, definitionFor(webhook)])),
    variables,
  };
}

/** The configured webhooks and variables for display; holds no secret. */
export function showConfigured({ webhooks, variables }: Desired, mask: Masker): ShownAccount {
  return {
    account: null,
    webhooks: webhooks.map((webhook) => {
      const { name, url, headers, payload, encodeAs } = definitionFor(webhook);
      const customHeaders = Object.keys(headers).length === 0 ? null : mask(JSON.stringify(headers));
      return {
        route: webhook.route,
        name,
        there: true,
        url: mask(url),
        customHeaders,
        encodeAs,
        payload: payload === null ? null : mask(payload),
      };
    }),
    variables: Object.entries(variables).map(([name, variable]) => {
      const secret = 'secret' in variable;
      return { name, there: true, secret, value: secret ? '(secret)' : mask(variable.value) };
    }),
  };
}
