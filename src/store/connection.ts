import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { messageOf } from '../model/errors.ts';
import { formatAddresses, parseAddresses, type RedisAddress } from './address.ts';
import { StoreError } from './errors.ts';

export type RedisClient = Redis | Cluster;

export interface ConnectOptions {
  /** `redis://`, `rediss://`, `valkey://` or `valkeys://`; several, or one with `?cluster=true`, name a cluster. */
  readonly urls: string | readonly string[];
  /** How long to try before giving up. Default 10 s. */
  readonly timeoutMs?: number;
  /** Called once when a connection is lost and once when it is back. Default: nobody is told. */
  readonly onChange?: (change: ConnectionChange) => void;
}

export type ConnectionChange =
  | { readonly kind: 'lost'; readonly error: StoreError }
  | { readonly kind: 'restored' };

/** Options BullMQ needs: a command waits for the connection to come back instead of failing after some tries. */
const BASE_OPTIONS = {
  maxRetriesPerRequest: null,
  lazyConnect: true,
  retryStrategy: backoff,
} as const satisfies RedisOptions;

/**
 * Connects to Redis or Valkey, single or cluster. Later losses reconnect by themselves with growing delays; they are
 * told to `onChange` and never thrown. Throws `StoreError` `address-invalid`, `unreachable` or `refused`.
 */
export async function connectRedis(options: ConnectOptions): Promise<RedisClient> {
  const addresses = parseAddresses(options.urls);
  const client = createClient(addresses);
  const where = formatAddresses(addresses);
  let lastError: unknown;
  let lost = false;
  let ready = false;
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  client.on('close', () => {
    if (ready && !lost && !closing.has(client)) {
      lost = true;
      options.onChange?.({
        kind: 'lost',
        error: unreachable(where, 'connection lost; reconnecting', lastError),
      });
    }
  });
  client.on('ready', () => {
    if (lost) options.onChange?.({ kind: 'restored' });
    lost = false;
    ready = true;
    lastError = undefined;
  });
  await firstReady(client, where, options.timeoutMs ?? 10_000);
  return client;
}

/** Connections that we close ourselves: nothing is lost with them. */
const closing = new WeakSet<RedisClient>();

/** Closes politely, and hard when Redis does not answer within `limitMs`: commands still waiting then fail. */
export async function closeRedis(client: RedisClient, limitMs = 1_000): Promise<void> {
  if (client.status === 'end') return;
  closing.add(client);
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  try {
    if ((await Promise.race([client.quit(), limit.promise])) === undefined) endNow(client);
  } catch {
    // A connection that is gone cannot say goodbye; it is closed either way.
    endNow(client);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Between two attempts to reconnect, ioredis drops its timer and waits for the end of a connection that it does not
 * have; commands in its queue would wait for ever. In the state before the first attempt it ends and fails them.
 */
function endNow(client: RedisClient): void {
  if (client.status === 'reconnecting') client.status = 'wait';
  client.disconnect();
}

function createClient(addresses: readonly RedisAddress[]): RedisClient {
  const [first] = addresses;
  if (first === undefined) throw new StoreError('address-invalid', 'No Redis URL was given.');
  const redisOptions = { ...BASE_OPTIONS, ...first.options };
  if (addresses.length === 1 && !first.cluster) return new Redis(redisOptions);
  return new Cluster(
    addresses.map(({ host, port }) => ({ host, port })),
    { redisOptions, lazyConnect: true, clusterRetryStrategy: backoff },
  );
}

async function firstReady(client: RedisClient, where: string, timeoutMs: number): Promise<void> {
  let lastError: unknown;
  const outcome = Promise.withResolvers<void>();
  const onError = (error: unknown): void => {
    lastError = error;
    if (/WRONGPASS|NOAUTH|NOPERM|invalid (username|password)/i.test(messageOf(error))) {
      outcome.reject(
        new StoreError(
          'refused',
          `Redis at ${where} refused the credentials (${messageOf(error)}). Check user name and password in the Redis URL.`,
          { cause: error },
        ),
      );
    }
  };
  const timer = setTimeout(() => {
    outcome.reject(unreachable(where, `no usable answer within ${timeoutMs} ms`, lastError));
  }, timeoutMs);
  client.on('error', onError);
  client.once('ready', outcome.resolve);
  client.connect().catch(onError);
  try {
    await outcome.promise;
  } catch (error) {
    client.disconnect();
    throw error;
  } finally {
    clearTimeout(timer);
    client.off('error', onError);
    client.off('ready', outcome.resolve);
  }
}

function unreachable(where: string, what: string, cause: unknown): StoreError {
  const detail = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return new StoreError(
    'unreachable',
    `Redis at ${where}: ${what}${detail}. Check that it runs there and that the Redis URL is right.`,
    { cause, retryable: true },
  );
}

/** 50 ms, doubled up to 2 s, for ever. */
function backoff(times: number): number {
  return Math.min(50 * 2 ** Math.min(times - 1, 10), 2_000);
}
