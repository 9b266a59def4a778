import { BlockList, isIP } from 'node:net';
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

function isRange(entry: string): boolean {
  const [address = ''] = entry.split('/');
  return isIP(address) !== 0 && !address.includes('%');
}

/** Addresses and CIDR ranges as a list to check against. Throws `HttpError` (`invalid-url`). */
export function rangesOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const { address, bits, family } = rangeOf(entry);
    list.addSubnet(address, bits, family);
  }
  return list;
}

function rangeOf(entry: string) {
  const [address = '', prefix, ...more] = entry.split('/');
  if (!isRange(entry))
    throw new HttpError(
      'invalid-url',
      `${JSON.stringify(entry)} is neither an address nor a range such as 10.0.0.0/8`,
    );
  const [family, most] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
  const bits = prefix === undefined ? most : /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (more.length === 0 && bits <= most) return { address, bits, family };
  throw new HttpError('invalid-url', `${entry} is not an address range: the prefix has to be 0 to ${most}`);
}

function isMapped(address: string): boolean {
  // The URL parser returns the canonical form of any notation.
  return URL.parse(`http://[${address}]/`)?.hostname.startsWith('[::ffff:') ?? true;
}
