import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startInsightsService } from '../src/embedded/insights/service.ts';
import { startValkey } from '../src/embedded/valkey.ts';
import { detectFormat } from '../src/lockfiles/catalog.ts';
import { createProducer, type Producer } from '../src/producer.ts';
import { createKeys } from '../src/store/keys.ts';
import { createOutcomeStore } from '../src/store/outcomes/outcomes.ts';
import { connectRedis } from '../src/store/redis/connection.ts';
import { CORPORA } from '../test/lockfiles/reading.ts';
import { type BenchFile, hostileFiles } from './hostile-files.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

/** The longest permitted block of a worker's event loop, in milliseconds. */
const LIMIT_MS = 200;
const FILES_A_SCAN = 4;
const SCAN_LIMIT_MS = 120_000;

/**
 * Sends every file of the corpora, hostile files of each format, and large files through a real worker, and prints the
 * longest block of its event loop by format. `npm run bench -- event-loop [packages] [format]`: the number of packages in
 * the largest file, and the only group to send (`packages`: that file).
 */
export async function run([packages = '20000', only]: readonly string[]): Promise<void> {
  const [valkey, insights] = await Promise.all([startValkey(), startInsightsService()]);
  const redis = await connectRedis({ urls: valkey.url });
  const outcomes = createOutcomeStore(redis, createKeys('{lockhound}'));
  const producer = await createProducer({ redis: valkey.url });
  const worker = startWorker(valkey.url, insights.url);
  const finished = async (scan: string) => {
    const latest = Date.now() + SCAN_LIMIT_MS;
    while ((await outcomes.read('judge-scan', scan)) === undefined) {
      if (Date.now() > latest) throw new Error(`scan ${scan} did not end within ${SCAN_LIMIT_MS / 1_000} s`);
      await sleep(50);
    }
  };
  try {
    await scanOf(producer, finished, 'warm-up', hostileFiles().slice(0, 20));
    await worker.longestBlock();
    let worst = 0;
    for (const [format, files] of groups(Number(packages))) {
      if (only !== undefined && !format.includes(only)) continue;
      const largest = Math.max(...files.map(({ content }) => content.length));
      for (let start = 0; start < files.length; start += FILES_A_SCAN) {
        await scanOf(producer, finished, `${format}-${start}`, files.slice(start, start + FILES_A_SCAN));
      }
      const block = await worker.longestBlock();
      worst = Math.max(worst, block);
      const figures = `${files.length} files, largest ${(largest / 1e6).toFixed(2)} MB`;
      console.log(`${format.padEnd(30)} ${block.toFixed(0).padStart(6)} ms  ${figures}`);
    }
    console.log(`longest: ${worst.toFixed(0)} ms (limit: ${LIMIT_MS} ms)`);
    if (worst > LIMIT_MS) process.exitCode = 1;
  } finally {
    worker.child.kill('SIGKILL');
    await producer.close();
    redis.disconnect();
    await Promise.all([valkey.close(), insights.close()]);
  }
}

/** Files by format; the largest one is a separate group. */
function groups(packages: number): ReadonlyMap<string, readonly BenchFile[]> {
  const content = Buffer.from(syntheticPackageLock(packages));
  const large = { format: `${packages} packages`, title: 'large', content };
  return Map.groupBy([...corporaFiles(), ...hostileFiles(), large], ({ format }) => format);
}

function corporaFiles(): readonly BenchFile[] {
  if (!existsSync(CORPORA)) return [];
  const folders = ['lockfiles', 'real'].map((name) => join(CORPORA, name));
  const paths = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return paths
    .filter((path) => statSync(path).isFile() && !path.endsWith('expected.json'))
    .flatMap((path): readonly BenchFile[] => {
      const content = readFileSync(path);
      const name = basename(path).replace(/^.*__/, '');
      const format = detectFormat(name, content.toString('latin1', 0, 4_096));
      return format === undefined ? [] : [{ format: format.name, title: path, content }];
    });
}

async function scanOf(
  producer: Producer,
  finished: (scan: string) => Promise<void>,
  name: string,
  files: readonly BenchFile[],
): Promise<void> {
  const lockfiles = files.map(({ format, content }, at) => ({
    path: `${at}/lockfile`,
    content,
    ...(format.includes(' ') ? {} : { format }),
  }));
  const { scan } = await producer.enqueue({ target: { id: name }, lockfiles });
  await finished(scan);
}

const MAIN = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
const MONITOR = join(import.meta.dirname, 'loop-monitor.mjs');

function startWorker(redisUrl: string, insightsUrl: string) {
  const child: ChildProcess = spawn(process.execPath, ['--import', MONITOR, MAIN, 'worker'], {
    env: { PATH: process.env['PATH'], REDIS_URL: redisUrl, LOCKHOUND_INSIGHTS_URL: insightsUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return {
    child,
    /** Since the last call, in milliseconds. */
    async longestBlock(): Promise<number> {
      output = '';
      child.kill('SIGUSR2');
      for (;;) {
        const found = /longest block: ([\d.]+)/.exec(output);
        if (found !== null) return Number(found[1]);
        await sleep(20);
      }
    },
  };
}
