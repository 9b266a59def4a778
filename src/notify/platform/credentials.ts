import type { Secret } from '../../model/secret.ts';

export interface Credentials {
  readonly apiKey: Secret;
  readonly applicationKey: Secret;
  /** Vendor prefix of the header names: `SVC` as the specification writes it, `DD` for Datadog. */
  readonly headerPrefix: string;
}

/** Both credential headers (specification, "Authentication"). */
export function credentialHeaders({ apiKey, applicationKey, headerPrefix }: Credentials) {
  return {
    [`${headerPrefix}-API-KEY`]: apiKey.reveal(),
    [`${headerPrefix}-APPLICATION-KEY`]: applicationKey.reveal(),
  };
}
