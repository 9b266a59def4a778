import type { Secret } from '../../model/secret.ts';

export interface Credentials {
  /** Vendor prefix of the header names, such as `DD`. */
  readonly headerPrefix: string;
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
}

/** The two headers that every request carries ("Authentication"); asked for anew on each call, kept nowhere. */
export function credentialHeaders(credentials: Credentials): () => Readonly<Record<string, string>> {
  const { headerPrefix, apiKey, applicationKey } = credentials;
  return () => ({
    [`${headerPrefix}-API-KEY`]: apiKey.reveal(),
    [`${headerPrefix}-APPLICATION-KEY`]: applicationKey.reveal(),
  });
}
