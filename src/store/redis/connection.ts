import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, Cluster, Redis, type RedisOptions } from 'ioredis';
import { messageOf } from '../../model/errors.ts';
import { within } from '../../model/time-limit.ts';
import { tlsFault } from '../../model/tls-fault.ts';
import { StoreError } from '../errors.ts';
import { formatAddresses, parseAddresses, type RedisAddress } from './address.ts';
import { batchWrites, followSlots, settleConnect } from './clients.ts';
import { createRefusals, REFUSALS_END_AFTER_MS, type Refusals } from './refusals.ts';

export type RedisClient = Redis | Cluster;

export interface ConnectOptions {
  /**
   * `redis://`, `rediss://`, `valkey://` or `valkeys://`; several, or one with `?cluster=true`, name a cluster. A function is called again
   * before each attempt to reconnect, for a password that was replaced.
   */
  readonly urls: string | readonly string[] | (() => readonly string[]);
  /** Time limit for the first connection. Default 10 s. */
  readonly timeoutMs?: number;
  /** Waits for the first connection without a limit, and says so after each `timeoutMs`. */
  readonly waiting?:
    | { readonly signal: AbortSignal; readonly onWait: (error: StoreError) => void }
    | undefined;
  /**
   * The handling of a command that Redis refuses because it accepts no writes now, for example after it became a replica.
   * `wait`: the command waits, as after a lost connection. Default: its caller gets the error. Both reconnect.
   */
  readonly refused?: 'wait';
  /** Called once when a connection is lost and once when it is restored. */
  readonly onChange?: (change: ConnectionChange) => void;
}

type ConnectionChange = { readonly kind: 'lost'; readonly error: StoreError } | { readonly kind: 'restored' };

const MAX_LISTENERS = 1_000;
const SENTINEL_TIMEOUT_MS = 3_000;
const GREETING_MS = 1_000;
/** A client of a cluster connects for it. */
const SLOTS_REFRESH_MS = 5_000;

/** Options that BullMQ needs: commands wait for the connection instead of failing after some attempts. */
const BASE_OPTIONS = {
  maxRetriesPerRequest: null,
  lazyConnect: true,
  // Detects a host that stopped without closing its connections. Blocking commands take 10 s at most.
  socketTimeout: 30_000,
} as const satisfies RedisOptions;

const streams = new WeakMap<object, Socket>();

/*
 * A damaged TLS connection has two errors: Node emits the first one without closing it. ioredis 6.0.0 listens to one, so that the other one would
 * end the process. All its clients, also those that it makes for Sentinels and subscriptions, keep their connection in this property.
 */
Object.defineProperty(AbstractConnector.prototype, 'stream', {
  get(this: object) {
    return streams.get(this);
  },
  set(this: object, stream: Socket) {
    streams.set(
      this,
      stream.on('error', () => {}),
    );
  },
});

/**
 * Connects to Redis or Valkey, single or cluster. Lost connections are restored with growing delays and reported to
 * `onChange`, never thrown. Throws `StoreError` `address-invalid`, `unreachable` or `refused`.
 */
export async function connectRedis(options: ConnectOptions): Promise<RedisClient> {
  const { urls } = options;
  const read = () => parseAddresses(typeof urls === 'function' ? urls() : urls);
  const addresses = read();
  const refusals = createRefusals({ wait: options.refused === 'wait' });
  const client = createClient(addresses, refusals, () => passwordsOf(read()[0]));
  // Each shard has its listeners. BullMQ adds to this number, so it cannot be `0`.
  client.setMaxListeners(MAX_LISTENERS);
  if (client instanceof Redis) batchWrites(client);
  const where = formatAddresses(addresses);
  reportChanges(client, { where, refusals, onChange: options.onChange ?? (() => {}) });
  await firstReady(client, addresses, options);
  await requireNoSentinel(client, where);
  return client;
}

interface Reporting {
  readonly where: string;
  readonly refusals: Refusals;
  readonly onChange: (change: ConnectionChange) => void;
}

/** Reports lost and restored connections. One is restored when it is ready and Redis accepts writes. */
function reportChanges(client: RedisClient, { where, refusals, onChange }: Reporting): void {
  let lastError: unknown;
  let lost = false;
  let ready = false;
  let restored: NodeJS.Timeout | undefined;
  const restore = (): void => {
    restored = undefined;
    if (refusals.current() !== undefined) restored = setTimeout(restore, REFUSALS_END_AFTER_MS).unref();
    else if (client.status === 'ready') {
      lost = false;
      onChange({ kind: 'restored' });
    }
  };
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  client.on('close', () => {
    clearTimeout(restored);
    if (!ready || lost || closing.has(client)) return;
    lost = true;
    const refusal = refusals.current();
    const what = refusal === undefined ? 'connection lost; reconnecting' : 'accepts no writes; reconnecting';
    onChange({ kind: 'lost', error: unreachable(where, what, refusal ?? lastError) });
  });
  client.on('ready', () => {
    ready = true;
    lastError = undefined;
    if (lost) restore();
  });
}

/** Connections that this process closes: they are not reported as lost. */
const closing = new WeakSet<RedisClient>();

/** Closes with QUIT, and by force when Redis does not answer within `limitMs`: commands that still wait then fail. */
export async function closeRedis(client: RedisClient, limitMs = 1_000): Promise<void> {
  if (client.status === 'end') return;
  closing.add(client);
  // `quit` of ioredis starts a timer of two seconds for the connection that was lost, which nothing stops, and leaves one that is being opened.
  if (client.status === 'reconnecting' || client.status === 'connecting') return disconnectNow(client);
  try {
    await within(client.quit(), limitMs);
  } catch {
    // QUIT is not answered in time, or fails on a lost connection.
    disconnectNow(client);
  }
}

/**
 * Between two attempts to reconnect, `disconnect` of ioredis waits for a connection that does not exist, and queued
 * commands never end. In the state before the first attempt it ends and fails them.
 */
function disconnectNow(client: RedisClient): void {
  // A client that lost its connection at QUIT has ended. To disconnect it starts a timer of two seconds, which nothing stops.
  if (client.status === 'end') return;
  if (client.status === 'reconnecting') client.status = 'wait';
  const isConnecting = client.status === 'connecting';
  client.disconnect();
  // One that is being opened would end once the server, which may be away, has accepted it.
  if (isConnecting && client instanceof Redis) client.stream?.destroy();
}

type Passwords = Pick<RedisOptions, 'password' | 'sentinelPassword'>;

function passwordsOf(address: RedisAddress | undefined): Passwords {
  const password = address?.options.password;
  const sentinelPassword = address?.sentinel?.password;
  return {
    ...(password === undefined ? {} : { password }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
}

function createClient(
  addresses: readonly RedisAddress[],
  refusals: Refusals,
  passwords: () => Passwords,
): RedisClient {
  const [first] = addresses;
  if (first === undefined) throw new StoreError('address-invalid', 'No Redis URL was given.');
  // ioredis calls them with the options of this client, or with a client of a cluster. Each duplicate has options of its own.
  function retryStrategy(this: RedisOptions, times: number): number {
    Object.assign(this, passwords());
    return Math.max(backoff(times), refusals.delay());
  }
  function clusterRetryStrategy(this: Cluster, times: number): number {
    // The pool copied the options; nothing else reaches its nodes.
    Object.assign(this['connectionPool'].redisOptions, passwords());
    return backoff(times);
  }
  const isCluster = first.sentinel === undefined && (addresses.length > 1 || first.cluster);
  const redisOptions = {
    ...BASE_OPTIONS,
    retryStrategy,
    ...first.options,
    reconnectOnError(error: Error) {
      nameCommand(error);
      // In a cluster, ioredis finds the node that accepts a command.
      return isCluster ? false : refusals.onError(error);
    },
  };
  if (first.sentinel !== undefined) return createSentinelClient(addresses, first, redisOptions);
  if (!isCluster) return settleConnect(new Redis(redisOptions));
  const cluster = new Cluster(
    addresses.map(({ host, port }) => ({ host, port })),
    {
      redisOptions,
      lazyConnect: true,
      clusterRetryStrategy,
      // While a primary is away, other nodes only name it: commands wait about a minute for its return or a replica.
      maxRedirections: 600,
      retryDelayOnMoved: 100,
      // A frozen primary keeps its connections open, so that nothing else says that a replica took over.
      slotsRefreshInterval: SLOTS_REFRESH_MS,
    },
  );
  return followSlots(settleConnect(cluster));
}

/**
 * Adds the command and its keys to the message of an error that is about a key: Redis does not say which one. A script names several.
 */
function nameCommand(
  error: Error & { readonly command?: { readonly name: string; readonly args: readonly unknown[] } },
): void {
  const { message, command } = error;
  if (command === undefined || !/WRONGTYPE|NOPERM/.test(message)) return;
  const { name, args } = command;
  const keys = /^eval/i.test(name) ? args.slice(2, 2 + Math.min(3, Number(args[1]))) : args.slice(0, 1);
  error.message = `${message} (${name.toUpperCase()} ${keys.map(String).join(' ')})`;
}

/**
 * Every connection asks the Sentinels for the primary. A failover closes connections, and a demoted primary refuses writes: both open
 * a new one. The `failoverDetector` of ioredis is not used, because it ends a client for good that is just connecting.
 */
function createSentinelClient(
  addresses: readonly RedisAddress[],
  first: RedisAddress,
  redisOptions: Omit<RedisOptions, 'replyMapping'>,
): Redis {
  const { sentinel, options } = first;
  const { tls } = options;
  const client = new Redis({
    ...redisOptions,
    sentinels: addresses.map(({ host, port }) => ({ host, port })),
    name: sentinel?.master ?? '',
    role: 'master',
    sentinelRetryStrategy: backoff,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    connectTimeout: SENTINEL_TIMEOUT_MS,
    ...passwordsOf(first),
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  });
  return settleConnect(client);
}

/** A Sentinel answers to `PING` and `INFO`, so that it looks like a Redis without commands. */
async function requireNoSentinel(client: RedisClient, where: string): Promise<void> {
  // `INFO` may be forbidden.
  const info = client instanceof Redis ? await client.info('server').catch(() => '') : '';
  if (!/^redis_mode:sentinel/m.test(String(info))) return;
  client.disconnect();
  throw new StoreError(
    'address-invalid',
    `${where} is a Sentinel, not a Redis: set redis.sentinels and redis.master in place of redis.url (docs/redis.md).`,
  );
}

/** Credentials and certificates do not become right while one waits. */
const REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid (username|password)/i;
const NOT_SECURE = 'no secure connection';

async function firstReady(
  client: RedisClient,
  addresses: readonly RedisAddress[],
  { timeoutMs = 10_000, waiting }: Pick<ConnectOptions, 'timeoutMs' | 'waiting'>,
): Promise<void> {
  const where = formatAddresses(addresses);
  let lastError: unknown;
  const outcome = Promise.withResolvers<void>();
  const onError = (error: unknown): void => {
    lastError = error;
    if (REFUSED.test(messageOf(error))) {
      outcome.reject(
        new StoreError(
          'refused',
          `Redis at ${where} refused the credentials (${messageOf(error)}). Check user name and password in the Redis URL.`,
          { cause: error },
        ),
      );
    } else if (tlsFault(error) !== undefined) {
      outcome.reject(unreachable(where, NOT_SECURE, error));
    }
    const [first] = addresses;
    if (first === undefined || !/ECONNRESET|EPIPE/.test(messageOf(error))) return;
    void refusalOf(first).then((refusal) => {
      if (refusal === undefined) return;
      lastError = refusal;
      if (/^DENIED/.test(refusal)) {
        const remedy =
          'Let Redis listen on the addresses that it is reached by, with a password (docs/redis.md).';
        outcome.reject(
          new StoreError('refused', `Redis at ${where} is in protected mode (${refusal}). ${remedy}`),
        );
      }
    });
  };
  const timer = setInterval(async () => {
    const [first] = addresses;
    const insecure = first === undefined ? undefined : await tlsFaultOf(first);
    const error =
      insecure === undefined
        ? unreachable(where, `no usable answer within ${timeoutMs} ms`, lastError)
        : unreachable(where, NOT_SECURE, insecure);
    if (waiting === undefined) outcome.reject(error);
    else waiting.onWait(error);
  }, timeoutMs);
  const onAbort = (): void => outcome.reject(waiting?.signal.reason);
  waiting?.signal.addEventListener('abort', onAbort);
  client.on('error', onError);
  client.once('ready', outcome.resolve);
  client.connect().catch(onError);
  try {
    await outcome.promise;
  } catch (error) {
    client.disconnect();
    throw error;
  } finally {
    clearInterval(timer);
    waiting?.signal.removeEventListener('abort', onAbort);
    client.off('error', onError);
    client.off('ready', outcome.resolve);
  }
}

/**
 * Returns the message of Redis to a connection that it does not accept (protected mode, too many clients): the first line, without
 * `-`. Redis sends it before any command, and the client only sees a connection that was reset.
 */
async function refusalOf({ host, port }: RedisAddress): Promise<string | undefined> {
  const socket = connect({ host, port, timeout: GREETING_MS });
  try {
    socket.on('timeout', () => socket.destroy());
    for await (const chunk of socket) return /^-([^\r\n]{1,120})/.exec(String(chunk))?.[1];
    return undefined;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Why there is no TLS connection: clients of clusters and Sentinels keep it to themselves, and a server without TLS says nothing. */
async function tlsFaultOf({ host, port, options }: RedisAddress): Promise<unknown> {
  if (options.tls === undefined) return undefined;
  const socket = connectTls({ host, port, ...options.tls, timeout: GREETING_MS });
  try {
    return await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(undefined));
      socket.once('timeout', () => resolve(new Error('it does not answer with TLS')));
      // It may as well be gone, which is no fault of TLS.
      socket.on('error', (error) => resolve(tlsFault(error) === undefined ? undefined : error));
      socket.once('close', () => resolve(undefined));
    });
  } finally {
    socket.destroy();
  }
}

/** Calls `act` whenever Redis may have lost writes: it was restarted, or another server is the primary. */
export function whenWritesMayBeLost(redis: RedisClient, act: () => void): void {
  for (const event of ['ready', '+node', '-node', 'node error']) redis.on(event, act);
}

/** Returns a function that says how often Redis may have lost writes so far. A revision that was read at another count is not comparable. */
export function countPossibleLosses(redis: RedisClient): () => number {
  let count = 0;
  whenWritesMayBeLost(redis, () => {
    count += 1;
  });
  return () => count;
}

function unreachable(where: string, what: string, cause: unknown): StoreError {
  const detail = cause === undefined ? '' : ` (${tlsFault(cause) ?? messageOf(cause)})`;
  return new StoreError(
    'unreachable',
    `Redis at ${where}: ${what}${detail}. Check that it runs there and that the Redis URL is right.`,
    { cause, retryable: true },
  );
}

/** 50 ms, doubled up to 2 s, without end. */
function backoff(times: number): number {
  return Math.min(50 * 2 ** Math.min(times - 1, 10), 2_000);
}
