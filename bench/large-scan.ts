import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createProducer } from '../src/producer.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { largeLockfile } from './large-lockfile.ts';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';

const MAIN = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
const MONITOR = join(import.meta.dirname, 'loop-monitor.mjs');
const SERVICE = join(import.meta.dirname, 'every-package-service.ts');
const LIMIT_MS = 480_000;

/**
 * Sends one lockfile of packages that all have a finding, or one SBOM, through a real worker with a real Redis, until its alert
 * arrives, and prints each stage with the longest block of the worker's event loop.
 * `npm run bench -- large-scan [packages] [advisories] [heap in MB] [npm | cyclonedx]`.
 */
export async function run([
  packages = '50000',
  advisories,
  heapMb = '2048',
  format = 'npm',
]: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'large-scan-'));
  const redis = await startNativeRedis();
  const service = spawnNode([SERVICE, advisories ?? packages]);
  const alerts = createInterface({ input: service.stdout });
  const [url] = (await once(alerts, 'line')) as [string];
  const config = join(folder, 'lockhound.yaml');
  await writeFile(config, configText(url));
  const environment = { REDIS_URL: redis.url };
  const options = [
    ...(process.env['WORKER_OPTIONS']?.split(' ') ?? []),
    `--max-old-space-size=${heapMb}`,
    '--import',
    MONITOR,
  ];
  const worker = spawnNode([...options, MAIN, 'worker', '--config', config], environment);
  const producer = await createProducer({ redis: redis.url });
  try {
    const stages = new Stages(worker);
    const arrived = once(alerts, 'line');
    const died = once(worker, 'exit').then(([code, signal]) => {
      throw new Error(`the worker ended with ${code ?? signal}`);
    });
    const lockfile = largeLockfile(format, Number(packages));
    const megabytes = (lockfile.content.length / 1e6).toFixed(1);
    console.log(`${packages} packages in ${lockfile.path} of ${megabytes} MB, heap ${heapMb} MB`);
    await producer.enqueue({
      scan: 'large',
      target: { id: 'large' },
      lockfiles: [lockfile],
    });
    await Promise.race([arrived, died, timeLimit()]);
    const seconds = (await cpuSecondsOf(worker)).toFixed(1);
    stages.print(
      `alert arrived; worker: ${seconds} s of processor time, peak ${(await memoryOf(worker)).peak} MiB`,
    );
    await stages.end();
  } finally {
    worker.removeAllListeners('exit');
    worker.kill('SIGTERM');
    await Promise.race([once(worker, 'exit'), new Promise((done) => setTimeout(done, 10_000).unref())]);
    worker.kill('SIGKILL');
    service.kill('SIGKILL');
    await producer.close();
    await redis.close();
    await rm(folder, { recursive: true });
  }
}

/** Prints a worker's log with the time since the start. */
class Stages {
  private readonly began = performance.now();
  private parts = { count: 0, longest: 0 };

  private readonly worker: ReturnType<typeof spawnNode>;

  constructor(worker: ReturnType<typeof spawnNode>) {
    this.worker = worker;
    for (const input of [worker.stdout, worker.stderr]) {
      createInterface({ input }).on('line', (line) => this.read(line));
    }
  }

  print(what: string): void {
    console.log(`${((performance.now() - this.began) / 1_000).toFixed(1).padStart(7)} s  ${what}`);
  }

  /** Requests the longest block since the last call. */
  async end(): Promise<void> {
    this.worker.kill('SIGUSR2');
    await new Promise((done) => setTimeout(done, 500));
  }

  private read(line: string): void {
    if (!line.startsWith('{')) {
      this.print(line);
      return;
    }
    const { level, msg, job, durationMs = 0, ...facts } = JSON.parse(line) as Record<string, unknown>;
    if (job === 'collect-advisories' && typeof durationMs === 'number' && level === 'info') {
      this.parts = { count: this.parts.count + 1, longest: Math.max(this.parts.longest, durationMs) };
      return;
    }
    if (this.parts.count > 0) {
      this.print(`${this.parts.count} parts of collect-advisories, the longest ${this.parts.longest} ms`);
      this.parts = { count: 0, longest: 0 };
    }
    this.print(`${msg} ${job ?? ''} ${durationMs} ms ${JSON.stringify(facts).slice(0, 300)}`);
    this.worker.kill('SIGUSR2');
  }
}

function spawnNode(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function configText(url: string): string {
  return `
insights: { url: "${url}" }
log: { level: info }
notify:
  firstScan: all
  allowAddresses: ["127.0.0.1"]
  webhook: { name: bench, url: "${url}/alert" }
`;
}

async function timeLimit(): Promise<never> {
  await new Promise((done) => setTimeout(done, LIMIT_MS).unref());
  throw new Error(`no alert within ${LIMIT_MS / 1_000} s`);
}
