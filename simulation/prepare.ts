import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../src/config/load.ts';
import type { Result } from './history.ts';
import {
  BOUNDS,
  MODES,
  type Plan,
  planOf,
  REFRESH_S,
  SOURCES,
  START,
  SUPPRESSION,
  withOverrides,
} from './plan.ts';
import { replacePlatform } from './platform.ts';
import { createRandom } from './random.ts';
import { URLS } from './world.ts';

/** A history of this seed runs first, so that modules which are loaded on first use are loaded. */
const WARM_UP = 0;

/** Modules of this folder that are loaded in place of others, except by modules of this folder. */
const REPLACED: Readonly<Record<string, string>> = {
  undici: 'undici.ts',
  bullmq: 'bullmq.ts',
  '../jobs/catalog.ts': 'jobs.ts',
};

/** Sources with a bound that is smaller in histories. */
const BOUNDED: ReadonlyMap<string, keyof typeof BOUNDS> = new Map(
  (
    [
      ['store/scripts/steps.lua.ts', 'LISTED'],
      ['store/facts/facts.ts', 'MAX_REPLACED'],
      ['store/fleet/ledger.ts', 'GROUPS'],
      ['compose/worker/schedules.ts', 'SELECTION_MS'],
      ['jobs/gather-digest.ts', 'MAX_ISSUES'],
      ['jobs/scan/deliveries.ts', 'MAX_SINGLE_CHANGES'],
      ['jobs/refresh/select-targets.ts', 'TARGETS_PER_JOB'],
      ['config/sections/route.ts', 'LEAST_EVERY_MS'],
    ] as const
  ).map(([file, name]) => [new URL(`../src/${file}`, import.meta.url).href, name]),
);

interface PrepareOptions {
  /** Prints what the workers log. */
  readonly log?: boolean;
  readonly onLoaded?: () => void;
}

/** Replaces the platform, then loads Lockhound. Returns what runs a plan. `onLoaded` is called before the first history. */
export async function prepare({
  log: isLogged = false,
  onLoaded = () => {},
}: PrepareOptions = {}): Promise<(plan: Plan) => Promise<Result>> {
  replacePlatform();
  replaceModules();
  const { loadConfig } = await import('../src/config/load.ts');
  const { runHistory } = await import('./history.ts');
  const { selectJobs } = await import('./jobs.ts');
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  const file = join(folder, 'lockhound.yaml');
  const load = (shards: number, more: string): LoadedConfig => {
    writeFileSync(file, configOf(isLogged ? 'debug' : 'warn', shards) + more);
    return loadConfig({ file, environment: {} });
  };
  const configs = [1, 2].map((shards) => {
    return {
      ...{ small: load(shards, SMALL), timed: load(shards, SMALL + TIMED) },
      ...{ overriding: load(shards, SMALL + OVERRIDING), large: load(shards, LARGE) },
    };
  });
  rmSync(folder, { recursive: true });
  for (const module of ['model/stored/schemas.ts', 'versions/version-match.ts', 'model/watch/source.ts'])
    await import(`../src/${module}`);
  onLoaded();
  const log = isLogged
    ? (worker: number, line: string) => process.stdout.write(`  ${worker} ${line}`)
    : undefined;
  const run = (plan: Plan, logged = log): Promise<Result> => {
    selectJobs(plan);
    const of = configs[plan.shards - 1];
    if (of === undefined) throw new RangeError(`no configuration has ${plan.shards} shards`);
    const small = plan.hasOverrides ? of.overriding : of.small;
    const config = plan.isLarge ? of.large : plan.isTimed ? of.timed : small;
    return runHistory(plan, config, logged);
  };
  const first = planOf(WARM_UP);
  const steps = first.steps.filter(({ kind, round }) => round === 0 && kind !== 'refused');
  const kinds = { isLarge: true, isTimed: false, hasOverrides: true };
  await run(
    { ...first, ...kinds, steps: withOverrides(steps, createRandom(WARM_UP)), rounds: 1 },
    () => true,
  );
  return (plan) => run(plan);
}

function replaceModules(): void {
  const folder = new URL('.', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      const replaced = context.parentURL?.startsWith(folder) === true ? undefined : REPLACED[specifier];
      return replaced === undefined
        ? next(specifier, context)
        : { url: new URL(replaced, folder).href, shortCircuit: true };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const name = BOUNDED.get(url);
      if (name === undefined) return loaded;
      const [text, constant] = [String(loaded.source), new RegExp(`(const ${name} =) \\d+(?:_\\d+)*;`)];
      if (!constant.test(text)) throw new Error(`${url} has no constant ${name}`);
      return { ...loaded, source: text.replace(constant, `$1 ${BOUNDS[name]};`) };
    },
  });
}

function configOf(level: string, shards: number): string {
  return `
redis: { url: "redis://redis.test:6379", shards: ${shards} }
insights: { url: "${URLS.insights}", recordTtl: 2s, missTtl: 300ms }
worker: { lockDuration: 5s, recheck: { open: 10s, turn: 4m } }
log: { level: ${level} }
`;
}

/** Of an installation with one route. */
const SMALL = `
watch: { every: ${REFRESH_S.all}s, young: 0s, jitter: 0s, inspect: false }
notify:
  webhook: { name: hook, url: "${URLS.receiver}/hook" }
  allowAddresses: [receiver.test]
`;

/** Notes about overrides that are not needed are sent. */
const OVERRIDING = `
policy: { rules: { stale-exception: { level: alert } } }
`;

const TIMED = `
  remindAfter: { low: 1h, medium: 1s, high: 1s, critical: 1s }
  remindAt: { cron: "* * * * *", timeZone: UTC }
suppressions:
  - { reason: not reachable, advisory: ${SUPPRESSION.advisory.id}, expires: "${new Date(START + SUPPRESSION.ms).toISOString()}" }
`;

/** Of one with a route of each mode, whose refreshes have a jitter, and which reads some targets itself. */
const LARGE = `
watch: { every: ${REFRESH_S.all}s, young: ${REFRESH_S.young}s, jitter: 1s, inspect: false, unwatchedAfter: 8s, allowAddresses: [files.test] }
notify:
  firstScan: all
  routes:
${MODES.map((mode) => `    - { name: by-${mode}, webhook: { mode: ${mode}, every: ${BOUNDS.LEAST_EVERY_MS}ms, url: "${URLS.receiver}/${mode}" } }`).join('\n')}
  allowAddresses: [receiver.test]
schedules:
${SOURCES.map((name) => `  - { name: ${name}, every: 10s, target: ${name}, labels: { name: ${name} }, source: { kind: url, urls: ["${URLS.files}/${name}/package-lock.json"] } }`).join('\n')}
`;
