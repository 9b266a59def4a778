import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { devNull } from 'node:os';
import type { AddressGuard } from '../../http/address-guard.ts';
import { type CredentialsByName, credentialHeader } from '../credentials.ts';
import { SourceError } from '../errors.ts';

export interface Remote {
  /** URL, `git@host:path`, or absolute path. */
  readonly repository: string;
  readonly credentials?: string | undefined;
}

export interface RemoteOptions {
  readonly credentials: CredentialsByName;
  readonly guard: AddressGuard;
  /** Variables of the worker that programs need: PATH, HOME, proxies, certificates. */
  readonly inherited: Readonly<Record<string, string>>;
}

/** User name where the service reads only the token. */
const TOKEN_USER = 'x-access-token';

/** A server that sends less than this for so many seconds is given up. */
const LOW_SPEED = { bytesPerSecond: 500, seconds: 60 };

const SSH =
  'ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4 -o StrictHostKeyChecking=yes';

/**
 * The environment of all `git` processes for one repository. URL and credentials are in variables and not in arguments, which
 * other users can read. No configuration of the user or the machine applies. Throws `SourceError`.
 */
export async function gitEnvironment(
  { repository, credentials }: Remote,
  options: RemoteOptions,
): Promise<Readonly<Record<string, string>>> {
  const settings: [string, string][] = [
    ['remote.origin.url', repository],
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', String(LOW_SPEED.bytesPerSecond)],
    ['http.lowSpeedTime', String(LOW_SPEED.seconds)],
    ['credential.helper', ''],
    ['protocol.version', '2'],
    ['core.hooksPath', devNull],
    ['core.fsmonitor', 'false'],
    // Everything arrives as a pack, whose size is limited, and not as single objects.
    ['fetch.unpackLimit', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['submodule.recurse', 'false'],
    ['fetch.recurseSubmodules', 'false'],
  ];
  const { protocol, url, host } = placeOf(repository);
  if (host !== undefined) settings.push(...(await pinnedAddress(host, url, options.guard)));
  if (credentials !== undefined) {
    if (url === undefined || protocol === 'ssh') {
      throw new SourceError(
        'credentials-invalid',
        `${repository}: credentials apply to https; ssh uses the keys of the worker`,
      );
    }
    const { name, value } = credentialHeader(options.credentials, credentials, url, TOKEN_USER);
    settings.push([`http.${url.origin}/.extraHeader`, `${name}: ${value}`]);
  }
  return {
    ...options.inherited,
    GIT_DIR: '.',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_SSH_COMMAND: SSH,
    GIT_SSH_VARIANT: 'ssh',
    // `ext::` runs any program, and `file:` is for paths that are named as such.
    GIT_ALLOW_PROTOCOL: protocol,
    LC_ALL: 'C',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

interface Place {
  /** For `GIT_ALLOW_PROTOCOL`. */
  readonly protocol: string;
  /** For http and https only. */
  readonly url?: URL;
  /** Absent for a local path. */
  readonly host?: string;
}

function placeOf(repository: string): Place {
  const url = URL.parse(repository);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return { protocol: url.protocol.slice(0, -1), url, host: url.hostname };
  }
  if (url?.protocol === 'ssh:') return { protocol: 'ssh', host: url.hostname };
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(repository)) return { protocol: 'file' };
  const host = /^(?:[^@/]*@)?([^:/]+):/.exec(repository)?.[1];
  if (host === undefined) throw new SourceError('failed', `${repository}: is not the URL of a repository`);
  return { protocol: 'ssh', host };
}

/** Checks the addresses of a host, and has `git` connect to these, so that its name cannot resolve to others meanwhile. */
async function pinnedAddress(
  hostname: string,
  url: URL | undefined,
  guard: AddressGuard,
): Promise<readonly [string, string][]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const allowed = addresses.filter((address) => guard(address, host));
  if (allowed.length === 0) {
    throw new SourceError(
      'address-refused',
      `${host} is not on the public internet (${addresses.join(', ')}): refused. Add it to watch.allowAddresses if it is intended`,
    );
  }
  if (url === undefined || isIP(host) !== 0) return [];
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const list = allowed.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',');
  return [['http.curloptResolve', `${host}:${port}:${list}`]];
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    const unknown = (cause as NodeJS.ErrnoException).code === 'ENOTFOUND';
    const reason = unknown ? 'its host name is unknown' : 'its host name cannot be resolved at the moment';
    throw new SourceError('unreachable', `${host}: ${reason}`, { cause, retryable: true });
  }
}
