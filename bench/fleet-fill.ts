import { NO_EXPLOITS, NO_KNOWN_FIXES } from '../src/compose/ports.ts';
import type { Store } from '../src/compose/store.ts';
import { DEFAULTS } from '../src/config/defaults.generated.ts';
import { judgeScan } from '../src/jobs/judge-scan.ts';
import { JUDGE_SCAN } from '../src/jobs/payloads/judge-scan.ts';
import type { Advisory } from '../src/model/scan/advisory.ts';
import type { Inventory } from '../src/model/scan/inventory.ts';
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

/** Writes the targets as workers do after a scan: facts, then states, inventories and summaries by the job that judges. */
export async function fillFleet(store: Store, size: FleetSize): Promise<void> {
  const known = new Set<number>();
  const advisories = new Set<string>();
  let target = 0;
  for (const drawn of targetsOf(size)) {
    await learn(
      store,
      drawn.filter((index) => !known.has(index)),
      advisories,
    );
    for (const index of drawn) known.add(index);
    await save(store, target, drawn);
    target += 1;
  }
}

/** The packages of each target. */
function* targetsOf({ targets, packages, distinct }: FleetSize): Generator<readonly number[]> {
  const random = seededRandom(7);
  for (let target = 0; target < targets; target += 1) yield drawPackages(packages, distinct, random);
}

async function learn(store: Store, packages: readonly number[], advisories: Set<string>): Promise<void> {
  const records = packages.flatMap((_, position) => {
    const { record } = lockedPackage(packages, position).resolution;
    const key = `NPM:package-${packages[position]}@1.0.0`;
    return record === undefined ? [] : [[key, { record }] as const];
  });
  await store.seen.add(records.map(([key]) => key));
  await store.facts.versions.learn(records);
  const ids = packages.flatMap(advisoryIdsOf).filter((id) => !advisories.has(id));
  for (const id of ids) advisories.add(id);
  await store.facts.advisories.learn(
    [...new Set(ids)].map((id) => [id, { record: advisoryOf(id) }] as const),
  );
}

async function save(store: Store, target: number, drawn: readonly number[]): Promise<void> {
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
    advisoryParts: 0,
    expansionParts: 0,
  };
  const run = await judgeScan.run(
    payload,
    {
      outcomes: { read: async (kind) => (kind.kind === 'inventory' ? (inventory as never) : undefined) },
      targets: store.targets,
      routing: { routing: () => ({ take: 'all', firstScan: 'none', rules: [] }) },
      policy: { policy: () => DEFAULTS.policy, suppressions: async () => [] },
      scans: store.scans,
      facts: store.facts,
      fleet: store.fleet,
      inspections: { ...store.inspections, mode: 'never' },
      exploits: NO_EXPLOITS,
      knownFixes: NO_KNOWN_FIXES,
      // Everything is known.
      insights: null as never,
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
