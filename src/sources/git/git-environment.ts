import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import type { AddressGuard } from '../../http/address-guard.ts';
import { type RepositoryPlace, readRepositoryAddress } from '../../model/watch/source-url.ts';
import { type CredentialsByName, credentialHeader } from '../credentials.ts';
import { SourceError } from '../errors.ts';
import { isolatedGit } from './git-process.ts';

interface Remote {
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
  'ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4 -o StrictHostKeyChecking=yes ' +
  '-o CheckHostIP=no -o ForwardAgent=no -o ClearAllForwardings=yes -o PermitLocalCommand=no';

/**
 * The environment of all `git` processes for one repository. URL and credentials are in variables and not in arguments, which
 * other users can read. No configuration of the user or the machine applies. Throws `SourceError`.
 */
export async function gitEnvironment(
  { repository, credentials }: Remote,
  options: RemoteOptions,
): Promise<Readonly<Record<string, string>>> {
  const place = placeOf(repository);
  const pinned = await pinnedAddress(place, options);
  const settings: (readonly [string, string])[] = [
    ...pinned.settings,
    ['remote.origin.url', place.address],
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', String(LOW_SPEED.bytesPerSecond)],
    ['http.lowSpeedTime', String(LOW_SPEED.seconds)],
    ['credential.helper', ''],
    ['protocol.version', '2'],
    // Everything arrives as a pack, whose size is limited, and not as single objects.
    ['fetch.unpackLimit', '1'],
    // Memory follows these and not the number of cores: contents of more than 4 MB are not held as a whole.
    ['core.bigFileThreshold', '4m'],
    ['core.deltaBaseCacheLimit', '32m'],
    ['pack.threads', '1'],
    ['submodule.recurse', 'false'],
    ['fetch.recurseSubmodules', 'false'],
  ];
  if (credentials !== undefined) {
    if (place.kind !== 'http') {
      throw new SourceError(
        'credentials-invalid',
        `${repository}: credentials apply to https; ssh uses the keys of the worker`,
      );
    }
    const { name, value } = credentialHeader(options.credentials, credentials, place.url, TOKEN_USER);
    settings.push([`http.${place.url.origin}/.extraHeader`, `${name}: ${value}`]);
  }
  return {
    ...options.inherited,
    // The HTTP library of git would send what `.netrc` has for a host. ssh needs the folder.
    ...(place.kind === 'ssh' ? {} : { HOME: devNull }),
    GIT_DIR: '.',
    GIT_SSH_COMMAND: pinned.ssh,
    GIT_SSH_VARIANT: 'ssh',
    // `ext::` runs any program, and `file` is for paths that are named as such.
    GIT_ALLOW_PROTOCOL: place.kind === 'http' ? place.url.protocol.slice(0, -1) : place.kind,
    ...isolatedGit(settings),
  };
}

function placeOf(repository: string): RepositoryPlace {
  const place = readRepositoryAddress(repository);
  if ('expected' in place) throw new SourceError('failed', `${repository}: expected ${place.expected}`);
  return place;
}

/** How `git` connects to the addresses that were checked, so that a name cannot resolve to others meanwhile. */
interface Pinned {
  readonly settings: readonly (readonly [string, string])[];
  readonly ssh: string;
}

async function pinnedAddress(place: RepositoryPlace, { guard, inherited }: RemoteOptions): Promise<Pinned> {
  if (place.kind === 'file') return { settings: [], ssh: SSH };
  if (place.kind === 'ssh') {
    const { host, alias } = await sshHost(place, inherited);
    const [address = ''] = await allowedAddresses(host, guard);
    return { settings: [], ssh: `${SSH} -o HostName=${address} -o 'HostKeyAlias=${alias}'` };
  }
  const { url } = place;
  const addresses = await allowedAddresses(url.hostname, guard);
  if (isIP(plainHost(url.hostname)) !== 0) return { settings: [], ssh: SSH };
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const list = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(',');
  return { settings: [['http.curloptResolve', `${url.hostname}:${port}:${list}`]], ssh: SSH };
}

/** The addresses of a host to which a connection may be made; IPv4 first. Throws `SourceError` when there are none. */
async function allowedAddresses(hostname: string, guard: AddressGuard): Promise<readonly string[]> {
  const host = plainHost(hostname);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const allowed = addresses.filter((address) => guard(address, host));
  if (allowed.length > 0) return allowed.sort((left, right) => isIP(left) - isIP(right));
  throw new SourceError(
    'address-refused',
    `${host} is not on the public internet (${addresses.join(', ')}): refused. Add it to watch.allowAddresses if it is intended`,
  );
}

/** The host without the brackets of an IPv6 address. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
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

const run = promisify(execFile);

/** The host to which ssh connects, and the name under which the file of known hosts has it. */
interface SshHost {
  readonly host: string;
  readonly alias: string;
}

/**
 * Asks ssh what the configuration of the worker makes of a host: its file may give it another name or port. Throws `SourceError`
 * when ssh is missing, or names what is no host.
 */
export async function sshHost(
  { address, host, user, port }: Extract<RepositoryPlace, { kind: 'ssh' }>,
  environment: Readonly<Record<string, string>>,
): Promise<SshHost> {
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  const options = [...(user === undefined ? [] : ['-l', user]), ...(port === undefined ? [] : ['-p', port])];
  const settings = new Map(
    (await ask([...options, '-G', '--', plain], environment, address)).split('\n').map((line) => {
      const [name = '', ...values] = line.split(' ');
      return [name, values.join(' ')] as const;
    }),
  );
  const name = settings.get('hostname') ?? plain;
  const alias = settings.get('hostkeyalias');
  const isPlainPort = (settings.get('port') ?? '22') === '22';
  const known = { host: name, alias: alias ?? (isPlainPort ? name : `[${name}]:${settings.get('port')}`) };
  // Both become arguments of ssh.
  if (Object.values(known).every((text) => /^[A-Za-z0-9_[][\w.:\][-]*$/.test(text))) return known;
  throw new SourceError(
    'failed',
    `${address}: ssh would connect to ${JSON.stringify(name)}, which is no host`,
  );
}

async function ask(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  what: string,
): Promise<string> {
  try {
    const { stdout } = await run('ssh', [...args], { env: { ...environment }, timeout: 10_000 });
    return stdout;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing
      ? 'this worker has no program `ssh` (see PATH)'
      : 'its ssh configuration cannot be read';
    throw new SourceError('failed', `${what}: ${reason}`, { cause });
  }
}
