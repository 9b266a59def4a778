import { type ChildProcess, spawn } from 'node:child_process';
import { Redis } from 'ioredis';
import { startValkey } from '../src/embedded/valkey.ts';
import { HAS_REDIS, type NativeRedis, startNativeRedis } from './native-redis.ts';

/** A Redis of one test file. */
export interface TestRedis {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** Servers of this process, and those of them that no file uses. */
const all = new Set<NativeRedis>();
const unused: NativeRedis[] = [];

/** Ends the servers of its last line when this process has ended, also by a signal. */
const GUARD = 'while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -9 $pids';
let guard: ChildProcess | undefined;

function tellGuard(): void {
  if (guard === undefined) {
    guard = spawn('sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    guard.unref();
  }
  guard.stdin?.write(`${[...all].map(({ pid }) => pid).join(' ')}\n`);
}

/**
 * Returns a native server, which starts and answers in a fraction of the time of the embedded engine, or that where none is installed. A
 * start takes 70 ms of processor time, so the next file of the process gets the same server when nothing of it is left.
 */
export async function startRedis(): Promise<TestRedis> {
  if (!HAS_REDIS) return await startValkey();
  const server = unused.pop() ?? (await startNativeRedis());
  all.add(server);
  tellGuard();
  return {
    url: server.url,
    pid: server.pid,
    async close() {
      if (await isLikeNew(server)) return void unused.push(server);
      all.delete(server);
      tellGuard();
      await server.close();
    },
  };
}

/** Removes all data and scripts. A server with other connections, that does not answer, or whose settings were changed, is not like new. */
async function isLikeNew({ port }: NativeRedis): Promise<boolean> {
  const redis = new Redis({ port, maxRetriesPerRequest: 0, retryStrategy: null });
  redis.on('error', () => {});
  try {
    const [clients, stats] = await Promise.all([
      redis.client('LIST') as Promise<string>,
      redis.info('commandstats'),
      redis.flushall(),
      redis.script('FLUSH'),
      redis.config('RESETSTAT'),
    ]);
    return clients.trim().split('\n').length === 1 && !/^cmdstat_(?:config\|set|replicaof):/m.test(stats);
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
