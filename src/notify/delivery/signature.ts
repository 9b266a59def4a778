import { Webhook } from 'standardwebhooks';
import type { Secret } from '../../model/secret.ts';
import { NotifyError } from '../errors.ts';

/** Returns the Standard Webhooks headers of one attempt. */
export type Signer = (id: string, at: Date, body: string) => Readonly<Record<string, string>>;

/**
 * Sets `webhook-id` and `webhook-timestamp`, and `webhook-signature` when there is a secret (base64, usually after
 * `whsec_`). Throws `NotifyError` (`header-invalid`) immediately when the secret is not base64.
 */
export function createSigner(secret: Secret | undefined): Signer {
  const webhook = secret === undefined ? undefined : openSecret(secret);
  return (id, at, body) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    ...(webhook && { 'webhook-signature': webhook.sign(id, at, body) }),
  });
}

function openSecret(secret: Secret): Webhook {
  try {
    return new Webhook(secret.reveal().trim());
  } catch {
    // The library's error describes the secret's characters: it is dropped.
    throw new NotifyError(
      'header-invalid',
      '`notify.signingSecret` is not valid: it must be base64, usually with the prefix `whsec_`',
    );
  }
}
