import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answering, ask, freePort, type NativeRedis, startNativeRedis } from './native-redis.ts';
import { until } from './until.ts';

export interface NativeSentinel {
  readonly port: number;
  /** For `connectRedis` and producers. */
  readonly url: string;
  readonly primary: NativeRedis;
  readonly replica: NativeRedis;
  close(): Promise<void>;
}

export const MASTER = 'lockhound-test';

/** Starts a primary, a replica that has caught up, and a Sentinel that promotes the replica half a second after the primary died. */
export async function startNativeSentinel(): Promise<NativeSentinel> {
  const primary = await startNativeRedis();
  const replica = await startNativeRedis(
    '--replicaof',
    '127.0.0.1',
    String(primary.port),
    '--repl-diskless-sync-delay',
    '0',
  );
  await until('the replica', async () =>
    /master_link_status:up/.test(String(await replica.call('INFO', 'replication'))),
  );
  const port = await freePort();
  const file = join(primary.folder, 'sentinel.conf');
  await writeFile(
    file,
    [
      `port ${port}`,
      `dir ${primary.folder}`,
      `sentinel monitor ${MASTER} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${MASTER} 500`,
      `sentinel failover-timeout ${MASTER} 5000`,
      '',
    ].join('\n'),
  );
  const sentinel = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  await answering(port);
  // Without a known replica there is nothing to promote.
  await until('the Sentinel', async () => {
    const replicas = await ask(port, ['SENTINEL', 'REPLICAS', MASTER]);
    return JSON.stringify(replicas).includes(String(replica.port));
  });
  return {
    port,
    url: `redis+sentinel://127.0.0.1:${port}/${MASTER}`,
    primary,
    replica,
    async close() {
      await ended(sentinel);
      await replica.close();
      await primary.close();
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}
