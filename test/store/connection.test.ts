import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { createServer as createTlsServer } from 'node:tls';
import { AbstractConnector, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createKeys } from '../../src/store/keys.ts';
import { parseAddresses } from '../../src/store/redis/address.ts';
import { closeRedis, connectRedis } from '../../src/store/redis/connection.ts';
import { SELF_SIGNED } from '../http/self-signed.ts';
import { freePort } from '../native-redis.ts';
import { startTcpRelay } from '../pipeline/tcp-relay.ts';
import { until } from '../until.ts';
import { openStoreRoom, type StoreRoom } from './store-room.ts';

const PASSWORD = 'pass-5b1d';

async function failureOf(
  urls: string,
  timeoutMs: number,
): Promise<{ readonly code: string; readonly message: string }> {
  return connectRedis({ urls, timeoutMs }).then(
    () => {
      throw new Error('connected');
    },
    (error: { code: string; message: string }) => error,
  );
}

describe('a server that does not answer', () => {
  it('is an error within the time limit, without the password', async () => {
    const port = await freePort();
    const error = await failureOf(`redis://user:${PASSWORD}@127.0.0.1:${port}`, 400);
    expect(error).toMatchObject({ code: 'unreachable', retryable: true });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(PASSWORD);
  });

  it('says what Redis says to connections that it does not accept', async () => {
    const greeting = async (line: string, limitMs: number) => {
      // Redis writes one line and closes, without reading what the client sends.
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.write(`${line}\r\n`, () => socket.destroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      const error = await failureOf(`redis://127.0.0.1:${port}`, limitMs);
      server.close();
      return error;
    };
    const denied = await greeting(
      '-DENIED Redis is running in protected mode because no password is set',
      20_000,
    );
    expect(denied).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('is in protected mode'),
    });
    const full = await greeting('-ERR max number of clients reached', 1_500);
    expect(full).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('max number of clients'),
    });
  });

  it('is retried indefinitely with growing delays of up to 2 s', async () => {
    const room = await openStoreRoom();
    const redis = await connectRedis({ urls: room.url });
    if (!(redis instanceof Redis)) throw new Error('one server is no cluster');
    const { options } = redis;
    const waits = [1, 2, 3, 6, 7, 20, 100_000].map((times) => options.retryStrategy?.(times));
    await closeRedis(redis);
    await room.close();
    expect(waits).toEqual([50, 100, 200, 1_600, 2_000, 2_000, 2_000]);
  });

  it('that accepts connections and sends nothing is an error too', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address() as { port: number };
    expect(await failureOf(`redis://127.0.0.1:${address.port}`, 400)).toMatchObject({ code: 'unreachable' });
    silent.close();
  });
});

describe('a Redis URL', () => {
  it.each([
    'localhost:6379',
    'http://localhost',
    'redis://',
    `redis://u:${PASSWORD}@host/zero`,
    `redis://u:%${PASSWORD}@h`,
  ])('%s is refused without repeating its password', async (url) => {
    const error = await failureOf(url, 100);
    expect(error.code).toBe('address-invalid');
    expect(error.message).not.toContain(PASSWORD);
  });

  it('may name credentials, database, TLS and a cluster', () => {
    expect(parseAddresses('rediss://us%40er:p%25w@[::1]:7000/2?cluster=true, valkey://b')).toMatchObject([
      {
        host: '::1',
        port: 7000,
        cluster: true,
        options: { username: 'us@er', password: 'p%w', db: 2, tls: { rejectUnauthorized: true } },
      },
      { host: 'b', port: 6379, cluster: false },
    ]);
  });

  it('verifies certificates although the environment says otherwise', async () => {
    const server = createTlsServer({ ...SELF_SIGNED }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      const error = await failureOf(`rediss://localhost:${port}`, 5_000);
      expect(error.message).toContain('no secure connection');
    } finally {
      vi.unstubAllEnvs();
      server.close();
    }
  });

  it('has a prefix that keeps all keys in one slot', () => {
    expect(createKeys('plain').blob('x')).toBe('{plain}:blob:x');
    expect(createKeys('a{b}c').targets).toBe('a{b}c:targets');
  });
});

const native = spawnSync('redis-server', ['--version']).status === 0;

describe.skipIf(!native)('a native Redis with a password', () => {
  let port: number;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'close');
    for await (const line of createInterface({ input: child.stdout }))
      if (/Ready to accept/.test(line)) break;
    stop = async () => {
      child.kill('SIGKILL');
      await ended;
    };
  });
  afterAll(() => stop());

  it.each([
    ['a wrong password', `redis://:wrong-${PASSWORD}@127.0.0.1:`],
    ['no password', 'redis://127.0.0.1:'],
    ['an unknown user', `redis://nobody:${PASSWORD}@127.0.0.1:`],
  ])('refuses %s without waiting for the limit', async (_name, url) => {
    const error = await failureOf(`${url}${port}`, 3_600_000);
    expect(error.code).toBe('refused');
    expect(error.message).not.toContain(PASSWORD);
  });

  it('accepts the right one', async () => {
    const redis = await connectRedis({ urls: `redis://:${PASSWORD}@127.0.0.1:${port}/3` });
    expect(await redis.ping()).toBe('PONG');
    await closeRedis(redis);
  });
});

describe('a connection', () => {
  let room: StoreRoom;
  beforeAll(async () => {
    room = await openStoreRoom();
  });
  afterAll(() => room.close());

  it('that is killed is restored, reported once, and loses no command', async () => {
    const changes: string[] = [];
    const redis = await connectRedis({ urls: room.url, onChange: ({ kind }) => changes.push(kind) });
    for (let round = 1; round <= 2; round += 1) {
      await room.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      expect(await redis.incr('counted')).toBe(round);
      await until('both changes are reported', () => changes.length === round * 2);
    }
    expect(changes).toEqual(['lost', 'restored', 'lost', 'restored']);
    await closeRedis(redis);
    expect(changes).toHaveLength(4);
  });

  it('gets the password that its user has now, and so do duplicates that BullMQ made before', async () => {
    const setUser = (...rules: readonly string[]) => room.redis.call('ACL', 'SETUSER', 'replaced', ...rules);
    let password = 'old';
    await setUser('on', '>old', '~*', '&*', '+@all');
    const urls = () => [room.url.replace('://', `://replaced:${password}@`)];
    const redis = (await connectRedis({ urls })) as Redis;
    const duplicate = redis.duplicate();
    await duplicate.connect();
    await setUser('>new', '<old');
    password = 'new';
    await room.redis.call('CLIENT', 'KILL', 'USER', 'replaced');
    for (const client of [redis, duplicate]) {
      client.on('error', () => {});
      await until('it is connected again', async () => (await client.ping().catch(() => '')) === 'PONG');
      await closeRedis(client);
    }
  });

  it('whose duplicate is closed before it is ready connects once more', async () => {
    const relay = await startTcpRelay(Number(new URL(room.url).port));
    const redis = (await connectRedis({ urls: `redis://127.0.0.1:${relay.port}` })) as Redis;
    const duplicate = redis.duplicate();
    duplicate.on('error', () => {});
    relay.pointTo(await freePort());
    const connecting = duplicate.connect();
    await once(duplicate, 'reconnecting');
    relay.pointTo(Number(new URL(room.url).port));
    await connecting;
    expect(await duplicate.ping()).toBe('PONG');
    for (const client of [duplicate, redis]) await closeRedis(client);
    await relay.close();
  });

  it('names the command and the keys of a wrong type', async () => {
    await room.redis.set('own', 'x');
    await expect(room.redis.hgetall('own')).rejects.toThrow(/WRONGTYPE .* \(HGETALL own\)$/);
    await expect(
      room.redis.eval("redis.call('LPUSH', KEYS[2], 'x')", 2, 'other', 'own', 'argument'),
    ).rejects.toThrow(/WRONGTYPE .* \(EVAL other own\)$/);
  });

  it('closes within its limit when Redis has ended', async () => {
    const gone = await openStoreRoom();
    const redis = await connectRedis({ urls: gone.url });
    await gone.close();
    await until('the loss is seen', () => redis.status !== 'ready');
    const waiting = expect(redis.get('key')).rejects.toThrow(/closed/);
    await closeRedis(redis, 300);
    await waiting;
    expect(redis.status).toBe('end');
  });

  it('closes one that is being opened to a server that is away', async () => {
    // A socket that neither opens nor fails.
    const socket = Object.assign(new Socket(), { connecting: true });
    class Away extends AbstractConnector {
      connect() {
        this.stream = socket;
        return Promise.resolve(socket);
      }
    }
    const redis = new Redis({ Connector: Away as never });
    await until('its socket is there', () => redis.status === 'connecting' && redis.stream === socket);
    await closeRedis(redis, 50);
    expect(socket.destroyed).toBe(true);
  });

  it.each(['at', 'before'])('that is lost %s QUIT leaves no timer', async (when) => {
    const redis = (await connectRedis({ urls: room.url })) as Redis;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const isLost = new Promise((resolve) => redis.once('reconnecting', resolve));
    if (when === 'before') {
      redis.stream.destroy();
      await isLost;
    }
    const closing = closeRedis(redis);
    redis.stream.destroy();
    await closing;
    expect(redis.status).toBe('end');
    // That of ioredis for a connection that does not close.
    expect(timers.mock.calls.map(([, ms]) => ms)).not.toContain(redis.options.disconnectTimeout);
    timers.mockRestore();
  });
});
