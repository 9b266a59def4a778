import { pino } from 'pino';
import { openScanner } from '../src/compose/scanner.ts';
import { DEFAULTS } from '../src/config/defaults.generated.ts';
import type { IndexedPackage } from '../src/embedded/insights/data-set.ts';
import { type InsightsService, startInsightsService } from '../src/embedded/insights/service.ts';
import { subjectOf } from '../src/jobs/payloads/inspect-packages.ts';
import { createMemoryInspections } from '../src/jobs/signals/inspect-now.ts';
import { cannedPackage } from './canned-batch.ts';
import { median } from './median.ts';
import { synthesizeData } from './synthetic-data.ts';

const PACKAGES = 1_500;
const NEW = 20;
const RUNS = 7;
const LATENCY_MS = 50;
const AIM_MS = 300;

/**
 * A scan of 1,500 packages, 20 of which are new, without signals and with signals that the judgement waits for; each request takes 50 ms.
 * In a worker no scan waits for them.
 */
export async function run(): Promise<void> {
  const packages = Array.from({ length: PACKAGES }, (_, index) => cannedPackage(index));
  const service = await startInsightsService({ data: dataOf(packages) });
  service.faults.latencyMs = LATENCY_MS;
  const content = lockfileOf(packages);
  try {
    const times: Record<'without' | 'with', number[]> = { without: [], with: [] };
    let requests = 0;
    for (let round = 0; round < RUNS + 1; round += 1) {
      for (const kind of ['without', 'with'] as const) {
        const before = countOf(service);
        const took = await scanOnce(service, content, packages, kind === 'with');
        if (round > 0) times[kind].push(took);
        const asked = countOf(service) - before;
        requests = kind === 'with' ? asked - requests : asked;
      }
      if (round < RUNS) requests = 0;
    }
    const added = median(times.with) - median(times.without);
    console.log(`${PACKAGES} packages, ${NEW} of them new, ${LATENCY_MS} ms of latency, ${RUNS} runs`);
    console.log(`scan without signals   ${median(times.without).toFixed(0)} ms`);
    console.log(`scan with signals      ${median(times.with).toFixed(0)} ms`);
    console.log(`added                  ${added.toFixed(0)} ms (aim: at most ${AIM_MS} ms)`);
    console.log(`requests for signals   ${requests}, ${(requests / NEW).toFixed(1)} for each new version`);
  } finally {
    await service.close();
  }
}

type Package = ReturnType<typeof cannedPackage>;

/** The new versions have versions before them, so that there is something to compare with. */
function dataOf(packages: readonly Package[]) {
  const data = synthesizeData(packages);
  const extended = data.packages.map((one, index): IndexedPackage => {
    if (index >= NEW) return one;
    const [locked] = one.versions;
    if (locked === undefined) return one;
    const earlier = ['0.0.1', '0.0.2', '0.0.3'].map((version, at) => ({
      ...locked,
      version,
      publishedAt: `2021-0${at + 1}-01T00:00:00Z`,
    }));
    return { ...one, versions: [...earlier, locked] };
  });
  return { ...data, packages: extended };
}

function lockfileOf(packages: readonly Package[]): string {
  const entries = packages.map(({ name, version }) => [`node_modules/${name}`, { version }] as const);
  return JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(entries) } });
}

function countOf(service: InsightsService): number {
  return [...service.stats().requests.values()].reduce((sum, count) => sum + count, 0);
}

async function scanOnce(
  service: InsightsService,
  content: string,
  packages: readonly Package[],
  inspects: boolean,
): Promise<number> {
  const inspections = createMemoryInspections();
  const known = packages.slice(NEW).map((one) => subjectOf(`NPM:${one.name}@${one.version}`, []));
  await inspections.markKnown(known);
  const insights = { ...DEFAULTS.insights, url: service.url };
  const loaded = { config: { ...DEFAULTS, insights }, secrets: {}, file: undefined };
  const scanner = await openScanner(loaded as Parameters<typeof openScanner>[0], {
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    onProgress: () => {},
    onWait: () => {},
    ...(inspects ? { inspections } : {}),
  });
  try {
    const began = performance.now();
    const report = await scanner.scan({
      target: { id: 'bench' },
      lockfiles: [{ path: 'package-lock.json', content }],
    });
    const took = performance.now() - began;
    if (report.verdict.counts.outcomes.resolved !== PACKAGES) throw new Error('the scan is not complete');
    if (report.verdict.gaps.length > 0) throw new Error(JSON.stringify(report.verdict.gaps[0]));
    return took;
  } finally {
    await scanner.close();
  }
}
