import { pino } from 'pino';
import { openInsights } from '../src/compose/insights.ts';
import { NO_EXPLOITS, NO_KNOWN_FIXES } from '../src/compose/ports.ts';
import { openStore, type Store } from '../src/compose/store.ts';
import { DEFAULTS } from '../src/config/defaults.generated.ts';
import { loadConfig } from '../src/config/load.ts';
import { judgeTarget } from '../src/jobs/refresh/judge-target.ts';
import type { Insights } from '../src/model/ports/insights.ts';
import type { Suppression } from '../src/model/scan/suppression.ts';
import { suppressionEntry, suppressionOf } from '../src/policy/suppressions/entry.ts';
import { startNativeRedis } from '../test/native-redis.ts';
import { fillFleet } from './fleet-fill.ts';
import { rowsOf, type Subject, type Table, timeInTurn } from './rows.ts';

const PACKAGES = 200;
const DISTINCT = 20_000;
const ROUNDS = 7;

/**
 * What suppressions add to a refresh: every target of a fleet in a native Redis is judged again, without suppressions and with them, by the
 * job of the workers in this process. They fit advisories or packages that targets have, but no finding, so that both do the same
 * otherwise and no state changes. The rest of a refresh (queues, look-ups, writing) is not measured, so the ratio is the most that they can
 * add. `npm run bench -- suppressions [targets] [suppressions]`.
 */
export async function* measure([targets = '1000', count = '100']: readonly string[]): AsyncGenerator<Table> {
  const redis = await startNativeRedis();
  const loaded = loadConfig({ environment: { REDIS_URL: redis.url } });
  const store = await openStore(loaded, pino({ level: 'silent' }));
  const { insights, close } = await openInsights(loaded, store.cache, { facts: store.facts });
  try {
    await fillFleet(store, { targets: Number(targets), packages: PACKAGES, distinct: DISTINCT });
    const ids = await store.fleet.allTargets();
    const listed = suppressions(Number(count));
    const subjects: readonly (Subject & { readonly work: () => Promise<void> })[] = [
      { name: 'without', work: () => judgeAll({ store, insights }, ids, []) },
      {
        name: `with ${count}`,
        floor: 'without',
        aim: 1.05,
        work: () => judgeAll({ store, insights }, ids, listed),
      },
    ];
    const times = await timeInTurn(subjects, ROUNDS, 1, { slowMs: Number.POSITIVE_INFINITY });
    yield {
      title: `${targets} targets × ${PACKAGES} packages are judged again`,
      rows: rowsOf(subjects, times),
    };
  } finally {
    await close();
    await store.close();
    await redis.close();
  }
}

async function judgeAll(
  { store, insights }: { readonly store: Store; readonly insights: Insights },
  targets: readonly string[],
  listed: readonly Suppression[],
): Promise<void> {
  for (const target of targets) {
    const { result } = await judgeTarget.run(
      { selection: 'bench', round: 0, requestedAt: new Date().toISOString(), target },
      {
        targets: store.targets,
        fleet: store.fleet,
        facts: store.facts,
        routing: { routing: () => ({ take: 'all', firstScan: 'none', rules: [] }) },
        policy: { policy: () => DEFAULTS.policy, suppressions: async () => listed },
        inspections: { ...store.inspections, mode: 'never' },
        exploits: NO_EXPLOITS,
        knownFixes: NO_KNOWN_FIXES,
        insights,
      },
      {
        startedAt: Date.now(),
        signal: new AbortController().signal,
        lastAttempt: false,
        stalled: false,
        progress: () => {},
      },
    );
    if (result !== null) throw new Error(`${target} has changed`);
  }
}

/** Suppressions of all kinds: for an advisory, a team, a range of a package, and a target. */
function suppressions(count: number): readonly Suppression[] {
  const kinds = [
    (at: number) => ({ advisory: `GHSA-${at}`, package: 'pkg:npm/package-*@>2' }),
    (at: number) => ({ advisory: `GHSA-${at}`, labels: { team: `team-${at % 50}`, tier: 'none' } }),
    (at: number) => ({ package: `pkg:npm/package-${at * 50 + 17}`, versions: 'vers:npm/<1.0.0' }),
    (at: number) => ({ rule: 'deprecated', target: `team-${at % 50}/*` }),
  ];
  return Array.from({ length: count }, (_, at) => {
    const entry = suppressionEntry().parse({ reason: 'bench', ...kinds[at % kinds.length]?.(at) });
    return suppressionOf(entry, { id: `suppressions[${at}]`, source: 'configuration' });
  });
}
