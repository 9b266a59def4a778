import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { LIMIT_MS, until } from './until.ts';

/** Whether a native redis-server is installed: the embedded engine writes nothing to disk and follows no primary. */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

export interface NativeRedis {
  readonly port: number;
  readonly url: string;
  /** Of its process. */
  readonly pid: number;
  readonly folder: string;
  /** Sends a command over a separate connection. */
  call(...command: readonly string[]): Promise<unknown>;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Free ports that another process may take before the server does. */
const MAX_TRIES = 5;

/** Starts a native redis-server in a new folder, with these options. */
export async function startNativeRedis(...options: readonly string[]): Promise<NativeRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  let port = await freePort();
  let child: ChildProcess | undefined;
  /** Resolves to false when the server ended at once, as it does when another one has the port. */
  const tryToStart = async (): Promise<boolean> => {
    const args = ['--port', String(port), '--dir', folder, '--save', '', ...options];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    const ended = once(child, 'exit').then(() => false);
    return await Promise.race([answering(port).then(() => isOn(port, child?.pid)), ended]);
  };
  const start = async (): Promise<void> => {
    if (!(await tryToStart())) throw new Error(`redis-server ended at once on port ${port}`);
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  for (let tries = 0; !(await tryToStart()); tries += 1) {
    if (tries === MAX_TRIES) throw new Error(`redis-server ends at once with ${options.join(' ')}`);
    port = await freePort();
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    folder,
    kill,
    start,
    call: (...command) => ask(port, command),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function ask(port: number, [name = 'PING', ...args]: readonly string[]): Promise<unknown> {
  const connectTimeout = LIMIT_MS;
  const redis = new Redis({ port, maxRetriesPerRequest: 1, retryStrategy: null, connectTimeout });
  redis.on('error', () => {});
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}

/** Whether the server on a port is this process. */
async function isOn(port: number, pid: number | undefined): Promise<boolean> {
  return new RegExp(`^process_id:${pid}\r$`, 'm').test(String(await ask(port, ['INFO', 'server'])));
}

export async function answering(port: number): Promise<void> {
  // It may not listen yet, or be loading.
  const answers = () =>
    ask(port, ['PING']).then(
      (answer) => answer === 'PONG',
      () => false,
    );
  await until(`redis-server on port ${port} answers`, answers);
}

/** Ports that systems give to nobody who asks for any. */
const NOT_GIVEN = { first: 16_384, count: 16_384 };

/** A port on which nobody listens. It stays free until somebody asks for this one: a system takes those for connections from others. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = NOT_GIVEN.first + Math.floor(Math.random() * NOT_GIVEN.count);
    const server = createServer().listen(port, '127.0.0.1');
    const fault = await once(server, 'listening').then(
      () => undefined,
      ({ code }) => code,
    );
    if (fault === 'EADDRINUSE') continue;
    if (fault !== undefined) throw new Error(`no port is free: ${fault}`);
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Resolves when a replica has all that its primary has now. One that has just begun to follow gets the first writes later. */
export async function caughtUp(primary: NativeRedis, replica: NativeRedis): Promise<void> {
  const offsetOf = async (server: NativeRedis, name: string): Promise<number> => {
    const info = String(await server.call('INFO', 'replication'));
    return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  };
  const written = await offsetOf(primary, 'master_repl_offset');
  await until('the replica has all', async () => (await offsetOf(replica, 'slave_repl_offset')) >= written);
}
