import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { HttpError } from './errors.ts';

/** Whether a connection to `address`, which `host` resolved to, may be made. */
export type AddressGuard = (address: string, host: string) => boolean;

/**
 * Special-purpose ranges (IANA registries): loopback, private, link-local (metadata services), shared, reserved,
 * multicast, and IPv6 addresses that contain an IPv4 address: compatible, mapped, translated, NAT64, 6to4, Teredo.
 */
const REFUSED = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
  // A public address that is a metadata service within Azure.
  '168.63.129.16/32',
];

/**
 * The guard for addresses that users choose: accepts public addresses and the entries of `allowed` (host names, `*.` and a
 * domain for all hosts below it, addresses, CIDR ranges). Throws `HttpError` (`invalid-url`) for any other entry.
 */
export function publicAddressesOnly(allowed: readonly string[] = []): AddressGuard {
  const entries = allowed.map((entry) => entry.trim().replace(/^\[(.*)\]$/, '$1'));
  const refused = rangesOf(REFUSED);
  const opened = rangesOf(entries.filter(isRange));
  const opensHost = hostsOf(entries.filter((entry) => !isRange(entry)));
  return (address, host) => {
    const plain = address.replace(/%.*$/s, '');
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (opensHost(host) || opened.check(plain, family)) return true;
    // An IPv4-mapped address is another form of an IPv4 address; public services do not use it.
    return !refused.check(plain, family) && !(family === 'ipv6' && isMapped(plain));
  };
}

/** Whether a host is one of the entries, or below an entry that begins with `*.`. */
function hostsOf(entries: readonly string[]): (host: string) => boolean {
  const names = new Set(entries.map(hostName));
  return (host) => {
    const labels = host.toLowerCase().replace(/\.$/, '').split('.');
    if (names.has(labels.join('.'))) return true;
    return labels.some((_label, index) => index > 0 && names.has(`*.${labels.slice(index).join('.')}`));
  };
}

/** The form in a URL: lower case, Punycode. */
function hostName(entry: string): string {
  const [wildcard, name] = entry.startsWith('*.') ? ['*.', entry.slice(2)] : ['', entry];
  const url = /^[^\s/:@?#\\[\]*]+$/.test(name) ? URL.parse(`http://${name}/`) : null;
  // The parser reads `10.1` as an address, which is not what the entry means.
  if (url === null || isIP(url.hostname) !== 0) {
    throw new HttpError(
      'invalid-url',
      `${JSON.stringify(entry)} cannot be allowed: use a host, an address or a range such as 10.0.0.0/8, without a port`,
    );
  }
  return wildcard + url.hostname.replace(/\.$/, '');
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

function isRange(entry: string): boolean {
  const [address = ''] = entry.split('/');
  return isIP(address) !== 0 && !address.includes('%');
}

/** Addresses and CIDR ranges as a list to check against. Throws `HttpError` (`invalid-url`). */
export function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix, ...more] = entry.split('/');
    const six = isIP(address) === 6;
    const bits = prefix === undefined ? (six ? 128 : 32) : /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (more.length > 0 || !Number.isInteger(bits) || bits < 0 || bits > (six ? 128 : 32)) {
      throw new HttpError(
        'invalid-url',
        `${entry} is not an address range: the prefix has to be 0 to ${six ? 128 : 32}`,
      );
    }
    list.addSubnet(address, bits, six ? 'ipv6' : 'ipv4');
  }
  return list;
}

function isMapped(address: string): boolean {
  // The URL parser returns the canonical form of any notation.
  return URL.parse(`http://[${address}]/`)?.hostname.startsWith('[::ffff:') ?? true;
}
