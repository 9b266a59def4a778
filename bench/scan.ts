import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInsightsService } from '../src/embedded/insights/service.ts';
import { readLockfile } from '../src/lockfiles/read.ts';
import { median } from './median.ts';
import { synthesizeData } from './synthetic-data.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

const PACKAGES = 6_500;
const RUNS = 5;

/**
 * Times the whole process of `lockhound scan` of one lockfile, with a cold cache and a local insights service with 100
 * entries per page. The service runs in this process; both share the machine's cores. Memory is the peak of the command's
 * largest process.
 */
export async function run(): Promise<void> {
  const text = syntheticPackageLock(PACKAGES);
  const { packages } = readLockfile({ path: 'package-lock.json', content: Buffer.from(text) });
  const service = await startInsightsService({ data: synthesizeData(packages) });
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const file = join(folder, 'package-lock.json');
    await writeFile(file, text);
    const figures: Figures[] = [];
    for (let index = 0; index < RUNS; index += 1) figures.push(await scanOnce(file, service.url));
    const seconds = figures.map((figure) => figure.seconds);
    const mebibytes = figures.map((figure) => figure.peakMebibytes);
    const parse = median(Array.from({ length: 9 }, () => timed(() => JSON.parse(text))));
    console.log(`${packages.length} packages, ${(text.length / 1e6).toFixed(2)} MB, ${RUNS} runs`);
    console.log(
      `wall       median ${median(seconds).toFixed(2)} s, worst ${Math.max(...seconds).toFixed(2)} s (limit: 1.3 s)`,
    );
    console.log(
      `peak       median ${median(mebibytes).toFixed(0)} MiB, worst ${Math.max(...mebibytes).toFixed(0)} MiB (limit: 130 MiB)`,
    );
    console.log(
      `in terms of JSON.parse of the file (${parse.toFixed(1)} ms): ${((median(seconds) * 1_000) / parse).toFixed(0)} ×`,
    );
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}

interface Figures {
  readonly seconds: number;
  readonly peakMebibytes: number;
}

const MAIN = join(import.meta.dirname, '..', 'bin', 'lockhound.js');

async function scanOnce(file: string, insightsUrl: string): Promise<Figures> {
  const began = performance.now();
  const child = spawn(process.execPath, [MAIN, 'scan', file, '--json', '--fail-on', 'never'], {
    env: { PATH: process.env['PATH'], LOCKHOUND_INSIGHTS_URL: insightsUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const peak = watchPeak(child.pid ?? 0);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - began) / 1_000;
  const report = JSON.parse(Buffer.concat(chunks).toString()) as {
    counts: { outcomes: { resolved: number } };
  };
  if (code !== 0 || report.counts.outcomes.resolved < PACKAGES * 0.9)
    throw new Error('the scan did not resolve the packages');
  return { seconds, peakMebibytes: await peak() };
}

/** Reads the high-water mark of the process's memory until it ends (Linux). */
function watchPeak(pid: number): () => Promise<number> {
  let highest = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const peak = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    if (peak !== undefined) highest = Math.max(highest, Number(peak) / 1_024);
  }, 10);
  return async () => {
    clearInterval(timer);
    return highest;
  };
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
