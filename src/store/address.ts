import type { RedisOptions } from 'ioredis';
import { StoreError } from './errors.ts';

/** One Redis URL, taken apart. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly cluster: boolean;
  /** What ioredis needs for it, credentials included. */
  readonly options: Omit<RedisOptions, 'replyMapping'>;
}

const SECURE: Readonly<Record<string, boolean>> = {
  'redis:': false,
  'valkey:': false,
  'rediss:': true,
  'valkeys:': true,
};

/** Takes Redis URLs apart. Throws `StoreError` `address-invalid`, whose message repeats no credentials. */
export function parseAddresses(urls: string | readonly string[]): readonly RedisAddress[] {
  const list = typeof urls === 'string' ? urls.split(',') : urls;
  return list.map((url, index) => parseAddress(url.trim(), index));
}

/** `host:port, host:port`: for messages, without credentials. */
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
      ...(url.username === '' ? {} : { username: decode(url.username, index) }),
      ...(url.password === '' ? {} : { password: decode(url.password, index) }),
      ...(database === '' ? {} : { db: Number(database) }),
      ...(secure ? { tls: { servername: host } } : {}),
    },
  };
}

function decode(text: string, index: number): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(index, 'has user name or password with a stray "%": write it as "%25"');
  }
}

function invalid(index: number, what: string): StoreError {
  return new StoreError('address-invalid', `Redis URL number ${index + 1} ${what}.`);
}
