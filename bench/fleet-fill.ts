import type { Store } from '../src/compose/store.ts';
import { DEFAULTS } from '../src/config/defaults.generated.ts';
import { judgeScan } from '../src/jobs/judge-scan.ts';
import { JUDGE_SCAN } from '../src/jobs/payloads/judge-scan.ts';
import type { Ports } from '../src/jobs/ports.ts';
import type { Advisory, Inventory } from '../src/model/scan/inventory.ts';
import { ports } from '../test/jobs/facts.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { advisoryIdsOf, drawPackages, lockedPackage } from './fleet-data.ts';

export interface FleetSize {
  readonly targets: number;
  /** Packages of a target. */
  readonly packages: number;
  /** Different package versions that they are drawn from. */
  readonly distinct: number;
}

export interface Filled {
  /** By package: the number of targets that hold it. */
  readonly holders: Uint32Array;
  /** Advisories that the package versions of the fleet have. */
  readonly advisories: number;
}

/** The fleet that `fillFleet` writes. */
export function drawFleet(size: FleetSize): Filled {
  const holders = new Uint32Array(size.distinct);
  const advisories = new Set<string>();
  for (const drawn of targetsOf(size)) {
    for (const index of drawn) {
      holders[index] = (holders[index] ?? 0) + 1;
      for (const id of advisoryIdsOf(index)) advisories.add(id);
    }
  }
  return { holders, advisories: advisories.size };
}

const NO_TARGETS: Ports['targets'] = { read: async () => undefined };

/** Targets that are written at the same time, so that nothing waits for Redis. */
const AT_ONCE = 8;

/**
 * Writes the targets as workers do after a scan: facts, then states, inventories and summaries by the job that judges. What the job
 * reads comes from memory: all facts are in the inventory of a target. `before`: the states that are replaced; none when each target is
 * new.
 */
export async function fillFleet(
  store: Store,
  size: FleetSize,
  before: Ports['targets'] = NO_TARGETS,
): Promise<Filled> {
  const filled = drawFleet(size);
  const held = [...filled.holders.keys()].filter((index) => filled.holders[index] !== 0);
  const ports = { ...portsOf(await learn(store, held)), targets: before };
  const targets = targetsOf(size);
  let target = 0;
  const write = async (): Promise<void> => {
    for (const drawn of targets) await save(store, ports, target++, drawn);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, write));
  return filled;
}

/** The number of packages that a fleet of this size holds in all. */
export function distinctPackages(targets: number, packages: number): number {
  return Math.min(100_000, 10 * targets + packages);
}

/** The packages whose numbers of holders are nearest to the wanted one. */
export function nearestHeld(holders: Uint32Array, wanted: number, count: number): readonly number[] {
  const distance = (index: number): number => Math.abs((holders[index] ?? 0) - wanted);
  return Array.from(holders.keys())
    .sort((one, other) => distance(one) - distance(other))
    .slice(0, count);
}

/** The packages of each target. */
function* targetsOf({ targets, packages, distinct }: FleetSize): Generator<readonly number[]> {
  const random = seededRandom(7);
  for (let target = 0; target < targets; target += 1) yield drawPackages(packages, distinct, random);
}

/** Stores the facts of package versions, and returns their advisories by id. */
async function learn(store: Store, packages: readonly number[]): Promise<ReadonlyMap<string, Advisory>> {
  const records = packages.flatMap((index) => {
    const { record } = lockedPackage([index], 0).resolution;
    return record === undefined ? [] : [[`NPM:package-${index}@1.0.0`, { record }] as const];
  });
  await store.seen.add(records.map(([key]) => key));
  await store.facts.versions.learn(records);
  const advisories = new Map(packages.flatMap(advisoryIdsOf).map((id) => [id, advisoryOf(id)] as const));
  await store.facts.advisories.learn([...advisories].map(([id, record]) => [id, { record }] as const));
  return advisories;
}

/** What `judge-scan` reads, from memory. */
function portsOf(advisories: ReadonlyMap<string, Advisory>) {
  const memory = ports({});
  const read = async (ids: readonly string[]) =>
    ids.map((id) => {
      const record = advisories.get(id);
      return record === undefined ? undefined : { record };
    });
  return {
    ...memory,
    facts: {
      ...memory.facts,
      advisories: { ...memory.facts.advisories, read, changedSince: async () => new Map() },
    },
    routing: { routing: () => ({ take: 'all' as const, firstScan: 'none' as const, rules: [] }) },
    policy: { policy: () => DEFAULTS.policy, suppressions: async () => [] },
  };
}

async function save(
  store: Store,
  ports: ReturnType<typeof portsOf>,
  target: number,
  drawn: readonly number[],
): Promise<void> {
  const scan = `fill-${target}`;
  const packages = drawn.map((_, position) => lockedPackage(drawn, position));
  const inventory: Inventory = {
    lockfiles: [
      {
        path: 'package-lock.json',
        sha256: 'f'.repeat(64),
        format: 'npm-package-lock',
        packages,
        problems: [],
      },
    ],
    unread: [],
    readAt: Date.now(),
  };
  const payload = {
    scan,
    target: { id: `team-${target % 50}/service-${target}`, labels: { team: `team-${target % 50}` } },
    requestedAt: new Date().toISOString(),
    dividedAt: 0,
    advisoryParts: 0,
    expansionParts: 0,
  };
  const run = await judgeScan.run(
    payload,
    {
      ...ports,
      outcomes: { read: async (kind) => (kind.kind === 'inventory' ? (inventory as never) : undefined) },
    },
    {
      startedAt: Date.now(),
      signal: new AbortController().signal,
      lastAttempt: false,
      stalled: false,
      progress: () => {},
    },
  );
  const saved = await store.outcomes.save(JUDGE_SCAN.name, scan, { ...run, result: null });
  if (saved.status !== 'saved') throw new Error(`${scan} was not saved: ${saved.status}`);
  await store.redis.unlink(`${store.prefix}:outcome:${JUDGE_SCAN.name}:${scan}`);
}

function advisoryOf(id: string): Advisory {
  return {
    id,
    url: `https://osv.dev/vulnerability/${id}`,
    title: `Issue ${id}`,
    aliases: [],
    score: 7.5,
    vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
  };
}
