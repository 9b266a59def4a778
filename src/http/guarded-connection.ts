import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { HttpError, toHttpError } from './errors.ts';

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

/**
 * A connector that applies the guard to the address it connects to. It resolves a name once, so that the name cannot
 * resolve to another address after the check.
 */
export function guardedConnector(
  options: buildConnector.BuildOptions,
  guard: AddressGuard,
): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: guardedLookup(guard) });
  return (target, callback) => {
    // An address is not looked up, so it is checked here.
    const address = target.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) !== 0 && !guard(address, address)) {
      callback(refusal(address, address), null);
      return;
    }
    connect(target, callback);
  };
}

function guardedLookup(guard: AddressGuard): LookupFunction {
  return (host, options, callback) => {
    dnsLookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) return callback(error, [], 0);
      const allowed = addresses.filter(({ address }) => guard(address, host));
      const [first] = allowed;
      if (first === undefined) {
        return callback(refusal(host, addresses.map(({ address }) => address).join(', ')), [], 0);
      }
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

function refusal(host: string, addresses: string): HttpError {
  return new HttpError(
    'address-refused',
    `${host} is not on the public internet (${addresses}): refused. Add it to the allowed addresses if it is intended`,
  );
}
