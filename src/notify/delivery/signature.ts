import { Webhook } from 'standardwebhooks';
import type { Secret } from '../../model/secret.ts';
import { NotifyError } from '../errors.ts';

/** The Standard Webhooks headers of one attempt. */
export type Signer = (id: string, at: Date, body: string) => Readonly<Record<string, string>>;

/**
 * `webhook-id` and `webhook-timestamp` always, `webhook-signature` when there is a secret (`whsec_` and base64). Throws
 * `NotifyError` (`header-invalid`) at once when the secret cannot be used.
 */
export function createSigner(secret: Secret | undefined): Signer {
  const webhook = secret === undefined ? undefined : openSecret(secret);
  return (id, at, body) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    ...(webhook === undefined ? {} : { 'webhook-signature': webhook.sign(id, at, body) }),
  });
}

function openSecret(secret: Secret): Webhook {
  try {
    return new Webhook(secret.reveal().trim());
  } catch {
    // The library's error is about the secret's characters: it goes nowhere.
    throw new NotifyError(
      'header-invalid',
      '`notify.signingSecret` cannot be used: it has to be base64, as a rule with `whsec_` in front',
    );
  }
}
