import type { Secret } from '../../model/secret.ts';

export interface Credentials {
  /** Vendor prefix of the header names, such as `DD`. */
  readonly headerPrefix: string;
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
}

/** Returns the two credential headers of a request ("Authentication"), read again on each call. */
export function credentialHeaders(credentials: Credentials): () => Readonly<Record<string, string>> {
  const { headerPrefix, apiKey, applicationKey } = credentials;
  return () => ({
    [`${headerPrefix}-API-KEY`]: apiKey.reveal(),
    [`${headerPrefix}-APPLICATION-KEY`]: applicationKey.reveal(),
  });
}
