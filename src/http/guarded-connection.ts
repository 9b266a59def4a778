import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type AddressGuard, guardedConnector } from './address-guard.ts';
import { toHttpError } from './errors.ts';

/**
 * Opens a connection to the host of a URL, with TLS for `https:`, and closes it again: nothing is sent. The guard applies to the
 * address. Resolves to the address. Throws `HttpError`.
 */
export async function tryConnection(url: URL, guard: AddressGuard, timeoutMs: number): Promise<string> {
  const open = guardedConnector({ timeout: timeoutMs, allowH2: false, rejectUnauthorized: true }, guard);
  const { protocol, hostname, port, host } = url;
  const name = hostname.replace(/^\[|\]$/g, '');
  const target: buildConnector.Options = {
    ...{ protocol, hostname, host, port: port || (protocol === 'https:' ? '443' : '80') },
    ...(protocol === 'https:' && isIP(name) === 0 ? { servername: name } : {}),
  };
  const connected = Promise.withResolvers<Socket>();
  open(target, (error, socket) => {
    if (error === null && socket !== null) connected.resolve(socket);
    else connected.reject(error ?? new Error('no connection'));
  });
  try {
    const socket = await connected.promise;
    const address = socket.remoteAddress ?? hostname;
    socket.destroy();
    return address;
  } catch (error) {
    throw toHttpError(error, 'CONNECT', url.origin);
  }
}
