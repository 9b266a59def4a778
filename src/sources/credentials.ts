import { isLoopback } from '../model/loopback.ts';
import type { Secret } from '../model/secret.ts';
import { SourceError } from './errors.ts';

/** An entry of `credentials`: how a worker identifies itself to the hosts that hold sources. */
interface SourceCredentials {
  /** Hosts that they may be sent to, with the port where it is not the default one. */
  readonly hosts: readonly string[];
  /** For basic authentication. */
  readonly username?: string | undefined;
  /** A header that holds the secret alone, in place of `authorization`. */
  readonly header?: string | undefined;
  readonly secret: Secret;
}

export type CredentialsByName = ReadonlyMap<string, SourceCredentials>;

/**
 * The header for a request to `url`. `basicUser`: user name where the entry has none and the service needs basic
 * authentication; without it the secret is a bearer token. Throws `SourceError` (`credentials-invalid`), and `ConfigError` when the
 * secret cannot be read.
 */
export function credentialHeader(all: CredentialsByName, name: string, url: URL, basicUser?: string) {
  const found = all.get(name);
  if (found === undefined) {
    throw new SourceError(
      'credentials-invalid',
      `${url.host}: this worker has no entry \`${name}\` in \`credentials\``,
    );
  }
  if (!found.hosts.some((host) => host.toLowerCase() === url.host)) {
    throw new SourceError(
      'credentials-invalid',
      `${url.host}: credentials \`${name}\` may not be sent there; add it to their \`hosts\` if it is intended`,
    );
  }
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new SourceError('credentials-invalid', `${url.host}: credentials are sent over https only`);
  }
  const { header, username = basicUser, secret } = found;
  if (header !== undefined) return { name: header.toLowerCase(), value: secret.reveal() };
  if (username === undefined) return { name: 'authorization', value: `Bearer ${secret.reveal()}` };
  const pair = Buffer.from(`${username}:${secret.reveal()}`).toString('base64');
  return { name: 'authorization', value: `Basic ${pair}` };
}
