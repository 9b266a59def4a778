import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedConfig } from '../src/config/load.ts';
import type { Result } from './history.ts';
import { type Plan, planOf } from './plan.ts';
import { replacePlatform } from './platform.ts';
import { URLS } from './world.ts';

/** A history of this seed runs first, so that modules which are loaded on first use are loaded. */
const WARM_UP = 0;

/** Modules of this folder that are loaded in place of others, except by modules of this folder. */
const REPLACED: Readonly<Record<string, string>> = {
  undici: 'undici.ts',
  bullmq: 'bullmq.ts',
  '../jobs/catalog.ts': 'jobs.ts',
};

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
  const folder = mkdtempSync(join(tmpdir(), 'simulation-'));
  const file = join(folder, 'lockhound.yaml');
  const load = (shards: number): LoadedConfig => {
    writeFileSync(file, configOf(isLogged ? 'debug' : 'warn', shards));
    return loadConfig({ file, environment: {} });
  };
  const [single, sharded] = [load(1), load(2)];
  rmSync(folder, { recursive: true });
  for (const module of ['model/stored/schemas.ts', 'versions/version-match.ts', 'model/watch/source.ts'])
    await import(`../src/${module}`);
  onLoaded();
  const first = planOf(WARM_UP);
  await runHistory(
    { ...first, steps: first.steps.filter(({ kind }) => kind === 'scan' || kind === 'advisory') },
    single,
  );
  const log = isLogged
    ? (worker: number, line: string) => process.stdout.write(`  ${worker} ${line}`)
    : undefined;
  return (plan) => runHistory(plan, plan.shards === 1 ? single : sharded, log);
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
  });
}

function configOf(level: string, shards: number): string {
  return `
redis: { url: "redis://redis.test:6379", shards: ${shards} }
insights: { url: "${URLS.insights}", recordTtl: 1s, missTtl: 1s }
watch: { every: 15s, young: 0s, jitter: 0s, inspect: false }
notify:
  webhook: { name: hook, url: "${URLS.receiver}/hook" }
  allowAddresses: [receiver.test]
worker: { lockDuration: 5s, recheck: { open: 10s } }
log: { level: ${level} }
`;
}
