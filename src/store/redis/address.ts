import type { RedisOptions } from 'ioredis';
import { StoreError } from '../errors.ts';

/** The parts of a Redis URL. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly cluster: boolean;
  /** Connection options of ioredis, with the credentials. */
  readonly options: Omit<RedisOptions, 'replyMapping'>;
}

const SECURE: Readonly<Record<string, boolean>> = {
  'redis:': false,
  'valkey:': false,
  'rediss:': true,
  'valkeys:': true,
};

/** Parses Redis URLs. Throws `StoreError` `address-invalid`, whose message contains no credentials. */
export function parseAddresses(urls: string | readonly string[]): readonly RedisAddress[] {
  const list = typeof urls === 'string' ? urls.split(',') : urls;
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
    throw invalid(
      index,
      'has a "%" in its user name or password that is not percent-encoded: write it as "%25"',
    );
  }
}

function invalid(index: number, what: string): StoreError {
  return new StoreError('address-invalid', `Redis URL number ${index + 1} ${what}.`);
}
