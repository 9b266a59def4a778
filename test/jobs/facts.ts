import { configSchema } from '../../src/config/schema.ts';
import type { RunContext } from '../../src/jobs/job.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import { createMemoryInspections } from '../../src/jobs/signals/inspect-now.ts';
import { readWithCompanions } from '../../src/lockfiles/read.ts';
import { DEFAULT_LIMITS } from '../../src/lockfiles/read-as.ts';
import type { Routing } from '../../src/model/alert/routing.ts';
import { CodedError } from '../../src/model/errors.ts';
import { type ExploitData, NO_EXPLOIT_DATA } from '../../src/model/exploits/exploit-data.ts';
import type { Facts } from '../../src/model/ports/shared-state.ts';
import type { Inventory, ResolvedPackage } from '../../src/model/scan/inventory.ts';
import type { StoredKind } from '../../src/model/stored/kind.ts';

export class FakeError extends CodedError<'fake'> {}

export function unexpected(): Promise<never> {
  return Promise.reject(new Error('this port was not expected to be used'));
}

const NO_FACTS: Facts<never> = {
  read: async (keys) => keys.map(() => undefined),
  changedSince: async () => new Map(),
};

const NO_KNOWN_FIXES: Ports['knownFixes'] = {
  mode: 'never',
  read: async (keys) => keys.map(() => undefined),
  unasked: () => [],
  learn: unexpected,
};

/** A fleet without targets. */
const NO_FLEET: Ports['fleet'] = {
  packageIds: async () => new Uint32Array(),
  youngPackageIds: async () => new Uint32Array(),
  listed: async () => ({ ids: new Uint32Array(), advisories: [] }),
  identities: async () => [],
  advisoryIds: async () => [],
  pending: async () => ({ versions: [], advisories: [] }),
  countPending: async () => 0,
  affectedTargets: async () => [],
  incompleteTargets: async () => [],
  dueTargets: async () => [],
  countDue: async () => 0,
  allTargets: async () => [],
  targetsWith: async () => [],
  summary: async () => undefined,
  inventory: (hash) =>
    Promise.reject(new RangeError(`there is no inventory ${hash}: this process has no fleet`)),
  lastRefresh: async () => undefined,
  refreshInProgress: async () => undefined,
  waitingScans: async () => 0,
  openTargets: async function* () {},
  unjudgedTargets: async () => 0,
  openAlerts: async () => [],
  changedSuppressions: async () => [],
};

/** Ports; each test provides those that it expects to be used. */
export function ports(given: {
  readonly insights?: Partial<Ports['insights']>;
  readonly knownFixes?: Ports['knownFixes'];
  readonly outcomes?: ReadonlyMap<string, unknown>;
  readonly state?: Awaited<ReturnType<Ports['targets']['read']>>;
  readonly routes?: readonly string[];
  readonly contracts?: Ports['contracts'];
  readonly exploits?: ExploitData;
  readonly firstScan?: Routing['firstScan'];
  readonly fleet?: Partial<Ports['fleet']>;
  readonly schedules?: Partial<Ports['schedules']>;
  readonly sources?: Partial<Ports['sources']>;
  readonly waiting?: Awaited<ReturnType<Ports['digests']['read']>>;
}): Ports {
  return {
    blobs: { read: unexpected, keep: unexpected },
    lockfiles: { read: async (request) => readWithCompanions(request) },
    insights: {
      resolve: unexpected,
      advisory: unexpected,
      cachedAdvisories: async () => new Set(),
      dependencies: unexpected,
      requirements: unexpected,
      baseImage: unexpected,
      publishedVersions: unexpected,
      refreshVersions: unexpected,
      refreshAdvisories: unexpected,
      settleLosses: unexpected,
      releases: {
        list: unexpected,
        details: unexpected,
        findings: unexpected,
        requirements: unexpected,
        graph: unexpected,
        scorecards: unexpected,
        versionsOfProject: unexpected,
        versionsWith: unexpected,
        capabilities: unexpected,
        similar: unexpected,
        dependents: unexpected,
      },
      ...given.insights,
    },
    outcomes: { read: async (kind, job, key) => checked(kind, given.outcomes?.get(`${job}/${key}`)) },
    targets: { read: async () => given.state },
    notifier: { deliver: unexpected },
    knownFixes: given.knownFixes ?? NO_KNOWN_FIXES,
    contracts: given.contracts ?? { apis: () => [], compare: unexpected },
    deliveries: { read: unexpected, move: unexpected },
    limits: { lockfile: DEFAULT_LIMITS },
    routing: {
      routing: () => ({
        take: 'all',
        firstScan: given.firstScan ?? 'all',
        rules: (given.routes ?? []).map((name) => ({ name, mode: 'digest', match: {}, rest: false })),
      }),
    },
    policy: { policy: () => configSchema.parse({}).policy, suppressions: async () => [] },
    scans: { fail: unexpected },
    reuse: { settings: 'settings', recordMs: 60_000, missMs: 1_000 },
    facts: { versions: NO_FACTS, advisories: { ...NO_FACTS, notAnswered: async () => {} } },
    inspections: { ...createMemoryInspections(), mode: 'never' },
    schedules: {
      find: unexpected,
      runs: unexpected,
      lastStarted: unexpected,
      countOpen: unexpected,
      openTarget: unexpected,
      targets: unexpected,
      target: unexpected,
      reading: unexpected,
      update: unexpected,
      ...given.schedules,
    },
    sources: { list: unexpected, read: unexpected, ...given.sources },
    fleet: { ...NO_FLEET, ...given.fleet },
    exploits: { current: async () => given.exploits ?? NO_EXPLOIT_DATA, refresh: unexpected },
    digests: { read: async () => given.waiting ?? [] },
  };
}

/** Outcomes that an error in this release may store: of the right version, but not of their kind. */
export function unchecked(outcomes: ReadonlyMap<string, unknown>): Ports['outcomes'] {
  return { read: async (_kind, job, key) => outcomes.get(`${job}/${key}`) as never };
}

/** Reads an outcome like the store: from JSON, and checked. */
async function checked<Result>(kind: StoredKind<Result>, result: unknown): Promise<Result | undefined> {
  if (result === undefined) return undefined;
  return (await kind.schema()).parse(JSON.parse(JSON.stringify(result)));
}

export function context(lastAttempt = false): RunContext {
  const signal = new AbortController().signal;
  return { startedAt: 1_000_000, signal, lastAttempt, stalled: false, progress: () => {} };
}

export function locked(name: string, more: Partial<ResolvedPackage> = {}): ResolvedPackage {
  return {
    id: `${name}@1.0.0`,
    ecosystem: 'pypi',
    name,
    version: '1.0.0',
    purl: `pkg:pypi/${name}@1.0.0`,
    direct: undefined,
    groups: [],
    line: 1,
    dependencies: undefined,
    resolution: {
      outcome: 'resolved',
      record: {
        versionKey: { system: 'PYPI', name, version: '1.0.0' },
        isDefault: false,
        isDeprecated: false,
        licenses: [],
        advisoryIds: [],
      },
    },
    ...more,
  };
}

/** A package with advisories. */
export function affected(
  name: string,
  advisoryIds: readonly string[],
  more: Partial<ResolvedPackage> = {},
): ResolvedPackage {
  const plain = locked(name, more);
  const { record } = plain.resolution;
  if (record === undefined) throw new Error('a resolved package has a record');
  return { ...plain, resolution: { outcome: 'resolved', record: { ...record, advisoryIds } } };
}

export function inventory(packages: readonly ResolvedPackage[]): Inventory {
  return {
    lockfiles: [{ path: 'requirements.txt', sha256: '00', format: 'requirements', packages, problems: [] }],
    unread: [],
  };
}
