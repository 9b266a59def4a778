import { isIP } from 'node:net';
import type { RedisOptions } from 'ioredis';
import { redisUrlList } from '../../model/queue/redis-urls.ts';
import { StoreError } from '../errors.ts';

/** The parts of a Redis URL. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly cluster: boolean;
  /** This is a Sentinel, which knows the address of the Redis with this name. */
  readonly sentinel?: { readonly master: string; readonly password?: string | undefined } | undefined;
  /** Connection options of ioredis, with the credentials. */
  readonly options: Omit<RedisOptions, 'replyMapping'>;
}

const SECURE: Readonly<Record<string, boolean>> = {
  'redis:': false,
  'valkey:': false,
  'rediss:': true,
  'valkeys:': true,
  'redis+sentinel:': false,
  'rediss+sentinel:': true,
};
const SENTINEL_PORT = 26_379;
/** Parameter of a Sentinel's URL: its password, which may differ from that of Redis. */
const SENTINEL_PASSWORD = 'sentinel-password';

/** Parses Redis URLs. Throws `StoreError` `address-invalid`, whose message contains no credentials. */
export function parseAddresses(urls: string | readonly string[]): readonly RedisAddress[] {
  const list = typeof urls === 'string' ? redisUrlList(urls) : urls.flatMap(redisUrlList);
  return list.map((url, index) => parseAddress(url.trim(), index));
}

/** `host:port, host:port`, without credentials, for messages. */
export function formatAddresses(addresses: readonly RedisAddress[]): string {
  return addresses
    .map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`))
    .join(', ');
}

function parseAddress(text: string, index: number): RedisAddress {
  const url = URL.parse(text);
  const secure = url === null ? undefined : SECURE[url.protocol];
  if (url === null || secure === undefined || url.hostname === '') {
    throw invalid(index, 'is not of the form redis://[user:password@]host[:port][/database]');
  }
  if (url.protocol.includes('+sentinel')) return sentinelAddress(url, index, secure);
  const database = url.pathname.replace(/^\//, '');
  if (!/^\d*$/.test(database)) throw invalid(index, `has the database "${database}", which is not a number`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 6379 : Number(url.port);
  return {
    host,
    port,
    cluster: url.searchParams.get('cluster') === 'true',
    options: {
      host,
      port,
      ...credentialsIn(url, index),
      ...(database === '' ? {} : { db: Number(database) }),
      // A name alone is sent to the server; the certificate is checked for an address, too.
      ...(secure ? { tls: { ...VERIFIED, ...(isIP(host) === 0 ? { servername: host } : {}) } } : {}),
    },
  };
}

/** Certificates are verified even when NODE_TLS_REJECT_UNAUTHORIZED is 0. */
const VERIFIED = { rejectUnauthorized: true } as const;

/** `redis+sentinel://[user[:password]@]host[:port]/<master>`: user and password are those of Redis. */
function sentinelAddress(url: URL, index: number, secure: boolean): RedisAddress {
  const master = decode(url.pathname.replace(/^\//, ''), index);
  if (master === '' || master.includes('/')) {
    throw invalid(index, 'does not name the primary: redis+sentinel://[user[:password]@]host[:port]/master');
  }
  const password = url.searchParams.get(SENTINEL_PASSWORD) ?? undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? SENTINEL_PORT : Number(url.port),
    cluster: false,
    sentinel: { master, password },
    options: { ...credentialsIn(url, index), ...(secure ? { tls: VERIFIED } : {}) },
  };
}

/** A URL of a Sentinel with its password. */
export function withSentinelPassword(text: string, password: string): string {
  const url = new URL(text);
  url.searchParams.set(SENTINEL_PASSWORD, password);
  return url.href;
}

function credentialsIn(
  { username, password }: URL,
  index: number,
): Pick<RedisOptions, 'username' | 'password'> {
  return {
    ...(username === '' ? {} : { username: decode(username, index) }),
    ...(password === '' ? {} : { password: decode(password, index) }),
  };
}

function decode(text: string, index: number): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(
      index,
      'has a "%" in its user name or password that is not percent-encoded: write it as "%25"',
    );
  }
}

function invalid(index: number, what: string): StoreError {
  return new StoreError('address-invalid', `Redis URL number ${index + 1} ${what}.`);
}
