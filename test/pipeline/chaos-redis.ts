import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NativeRedis, startNativeRedis } from '../native-redis.ts';
import { until } from '../until.ts';
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts';

/** Failures of Redis. Each ends with a Redis that accepts writes at the same address. */
export interface ChaosRedis {
  readonly url: string;
  /** The process dies and restarts without the writes of the last `lostMs`. */
  losePower(lostMs: number): Promise<void>;
  /** A replica that is `lagMs` behind takes over; connections are cut. */
  failOver(lagMs: number): Promise<void>;
  /**
   * The same, but connections stay with the old primary, which no longer accepts writes. After `keptMs`, new
   * connections go to the new one.
   */
  demote(lagMs: number, keptMs: number): Promise<void>;
  close(): Promise<void>;
}

const OPTIONS = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--repl-diskless-sync-delay', '0'];
const SAMPLE_MS = 20;

/** A primary and a replica behind one address; roles change hands. */
export async function startChaosRedis(): Promise<ChaosRedis> {
  const servers = await Promise.all([startNativeRedis(...OPTIONS), startNativeRedis(...OPTIONS)]);
  let [primary, replica] = servers;
  const address = await startTcpRelay(primary.port);
  const line = await startTcpRelay(primary.port);
  await follow(replica, line);
  /** Delays the replica, makes it the primary, and returns the old primary. */
  const promote = async (lagMs: number): Promise<NativeRedis> => {
    await inSync(primary, replica);
    line.hold();
    await sleep(lagMs);
    await replica.call('REPLICAOF', 'NO', 'ONE');
    const old = primary;
    [primary, replica] = [replica, old];
    return old;
  };
  const turnAround = async (): Promise<void> => {
    line.pointTo(primary.port, { cut: true });
    await follow(replica, line);
  };
  return {
    url: `redis://127.0.0.1:${address.port}`,
    async losePower(lostMs) {
      await replica.call('REPLICAOF', 'NO', 'ONE');
      const size = await sizeBefore(primary, lostMs);
      await primary.kill();
      await truncate(size.file, size.bytes);
      await primary.start();
      await turnAround();
    },
    async failOver(lagMs) {
      const old = await promote(lagMs);
      await old.kill();
      address.pointTo(primary.port, { cut: true });
      await old.start();
      await turnAround();
    },
    async demote(lagMs, keptMs) {
      await promote(lagMs);
      await turnAround();
      await sleep(keptMs);
      address.pointTo(primary.port);
    },
    async close() {
      await address.close();
      await line.close();
      for (const server of servers) await server.close();
    },
  };
}

async function follow(replica: NativeRedis, line: TcpRelay): Promise<void> {
  await replica.call('REPLICAOF', '127.0.0.1', String(line.port));
}

async function inSync(primary: NativeRedis, replica: NativeRedis): Promise<void> {
  await until(`the replica on port ${replica.port} follows ${primary.port}`, async () =>
    /master_link_status:up/.test(String(await replica.call('INFO', 'replication'))),
  );
}

/** Waits for `lostMs`, and returns the size of the newest append-only file at the beginning of that time. */
async function sizeBefore(
  server: NativeRedis,
  lostMs: number,
): Promise<{ readonly file: string; readonly bytes: number }> {
  const folder = join(server.folder, 'appendonlydir');
  const newest = async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'));
    const file = join(folder, names.sort((a, b) => numberIn(a) - numberIn(b)).at(-1) ?? '');
    return { file, bytes: (await stat(file)).size };
  };
  let before = await newest();
  for (let waited = 0; waited < lostMs; waited += SAMPLE_MS) {
    await sleep(SAMPLE_MS);
    const now = await newest();
    // A file that was created meanwhile contains all writes that can be lost.
    if (now.file !== before.file) before = { file: now.file, bytes: 0 };
  }
  return before;
}

function numberIn(name: string): number {
  return Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
}
