import { expect, it } from 'vitest';
import {
  compactLockfile,
  expandLockfile,
  type NamedLockfile,
  namedLockfile,
} from '../../src/fleet/compact-lockfile.ts';
import { identityOf, lockedPackageOf } from '../../src/fleet/identity.ts';
import { createEligibility } from '../../src/insights/resolve/eligibility.ts';
import { createPlainVersions } from '../../src/insights/resolve/plain-versions.ts';
import { resolveFromFacts } from '../../src/insights/resolve/resolve.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import { judgeTarget } from '../../src/jobs/refresh/judge-target.ts';
import { defined } from '../../src/model/defined.ts';
import type { TargetSummary } from '../../src/model/fleet/target-summary.ts';
import type { Known, RefreshedFacts } from '../../src/model/ports/shared-state.ts';
import type { TargetState } from '../../src/model/scan/change.ts';
import type { Advisory, ResolvedPackage, VersionRecordSummary } from '../../src/model/scan/inventory.ts';
import type { Policy } from '../../src/model/scan/policy.ts';
import type { Inspection } from '../../src/model/signal/inspection.ts';
import { context, ports } from '../jobs/facts.ts';
import { randomOf } from '../seeded-random.ts';

const NAMES = 60;
const ADVISORIES = 8;
const ROUNDS = 80;
const CHANGES = 4;

type Random = () => number;
type Fact = Known<VersionRecordSummary>;

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** What may be known of a version; most are plain. */
function drawFact(random: Random, name: string): Fact | undefined {
  const record: VersionRecordSummary = {
    versionKey: { system: 'NPM', name, version: '1.0.0' },
    publishedAt: '2024-03-01T12:00:00Z',
    isDefault: random() < 0.5,
    isDeprecated: false,
    licenses: [pick(random, ['MIT', 'GPL-3.0-only', ''])],
    advisoryIds: [],
  };
  const id = `GHSA-${Math.floor(random() * ADVISORIES)}`;
  const affected = { ...record, advisoryIds: [id] };
  const kinds: readonly (() => Fact | undefined)[] = [
    () => undefined,
    () => ({ missing: true }),
    () => ({ record, doubted: { missing: true } }),
    () => ({ record: { ...record, isDeprecated: true, deprecatedReason: 'use `other`' } }),
    () => ({
      record: { ...record, projectStatus: { status: pick(random, ['active', 'quarantined', 'archived']) } },
    }),
    () => ({ record: { ...record, advisoriesOnly: true } }),
    () => ({ record: { ...affected, serviceLacks: true } }),
    () => ({ record: { ...record, versionKey: { ...record.versionKey, name: `${name}-renamed` } } }),
    () => ({ record: affected, doubted: { record } }),
    () => ({
      record: {
        ...affected,
        claims: [
          { id, source: 'osv', says: 'affected' },
          { id, source: 'api', says: 'unaffected' },
        ],
      },
    }),
    () => ({ record: affected }),
  ];
  return random() < 0.8 ? { record } : pick(random, kinds)();
}

function drawAdvisory(random: Random, id: string): Known<Advisory> {
  const record = { id, url: '', title: `Issue ${id}`, aliases: [], score: pick(random, [3, 6, 9]) };
  return random() < 0.1 ? { missing: true } : { record };
}

function drawInspection(random: Random): Inspection | undefined {
  if (random() < 0.95) return undefined;
  const signal = pick(random, ['fresh-release', 'install-script', 'burst']);
  const unknown = random() < 0.3 ? [{ fact: 'capabilities', reason: 'HTTP 500' }] : [];
  return { inspectedAt: '2026-01-01T00:00:00Z', signals: [{ signal, text: 'was published' }], unknown };
}

/** A lockfile with edges, groups, aliases, and packages that are not looked up. */
async function drawLockfile(random: Random): Promise<NamedLockfile> {
  const names = Array.from({ length: NAMES }, (_, at) => `p${at}`).filter(() => random() < 0.5);
  const hasEdges = random() < 0.95;
  const marksDirect = random() < 0.95;
  const packages = names.map((name, at): ResolvedPackage => {
    const isAlias = random() < 0.05;
    const isExcluded = random() < 0.05;
    const edges = Array.from({ length: 3 }, () => `${pick(random, names)}@1.0.0`);
    return {
      id: isAlias ? `alias-${name}@1.0.0` : `${name}@1.0.0`,
      ecosystem: random() < 0.02 ? 'deb' : 'npm',
      name,
      version: '1.0.0',
      purl: `pkg:npm/${name}@1.0.0${random() < 0.05 ? '?arch=x64' : ''}`,
      direct: marksDirect ? random() < 0.1 || at === 0 : undefined,
      groups: pick(random, [[], ['dev'], ['dev', 'optional']]),
      line: random() < 0.9 ? 3 * at : undefined,
      dependencies: hasEdges && random() < 0.999 ? edges : undefined,
      resolution: isExcluded
        ? { outcome: 'unsupported', reason: 'it comes from a path' }
        : { outcome: 'resolved' },
    };
  });
  const identities = packages.map(identityOf);
  const distinct = [...new Set(identities)];
  const own = identities.map((identity) => distinct.indexOf(identity) + 1);
  const problems =
    random() < 0.05 ? [{ kind: pick(random, ['unread', 'unclear'] as const), message: 'odd' }] : [];
  const { ids, rest } = await compactLockfile(
    { format: 'npm-package-lock', problems, packages },
    identities,
    own,
  );
  return namedLockfile(
    rest,
    [...ids.lookedUp, ...ids.excluded].map((id) => distinct[id - 1]),
  );
}

/** What the fleet knows, which changes. */
function createKnowledge(random: Random) {
  const facts = new Map<string, Fact>();
  const advisories = new Map<string, Known<Advisory>>();
  const inspections = new Map<string, Inspection>();
  const replaced: string[] = [];
  const drawVersion = (name: string): void => {
    const key = `NPM:${name}@1.0.0`;
    const fact = drawFact(random, name);
    if (fact === undefined) return;
    // The first answer about a version replaces none.
    if (facts.has(key)) replaced.push(key);
    facts.set(key, fact);
  };
  const drawOthers = (name: string): void => {
    const inspection = drawInspection(random);
    if (inspection === undefined) inspections.delete(`NPM:${name}@1.0.0`);
    else inspections.set(`NPM:${name}@1.0.0`, inspection);
  };
  const read = async (keys: readonly string[]) => keys.map((key) => facts.get(key));
  const changedSince = async () => new Map();
  return {
    /** Draws a share of it anew. */
    draw(share: number): void {
      for (let at = 0; at < NAMES; at += 1) {
        if (random() < share) drawVersion(`p${at}`);
        if (random() < share) drawOthers(`p${at}`);
      }
      for (let at = 0; at < ADVISORIES; at += 1)
        if (random() < share) advisories.set(`GHSA-${at}`, drawAdvisory(random, `GHSA-${at}`));
    },
    versions: {
      read,
      unchecked: read,
      changedSince,
      news: async (since: string | undefined) => ({
        until: String(replaced.length),
        replaced: since === undefined ? undefined : replaced.slice(Number(since)),
      }),
    },
    advisories: {
      read: async (ids: readonly string[]) => ids.map((id) => advisories.get(id)),
      changedSince,
    },
    inspections: { read: async (keys: readonly string[]) => keys.map((key) => inspections.get(key)) },
  };
}

const ELIGIBILITY = createEligibility({ privatePatterns: ['p7'], mirrors: [] });
const LICENSES: Policy['licenses'] = { deny: ['GPL-3.0-only'] } as Policy['licenses'];
const SUMMARY: TargetSummary = {
  ...{ labels: { team: 'web' }, lockfiles: [], packages: 1, open: {}, openByRule: {} },
  requestedAt: '2026-01-01T00:00:00Z',
};

function portsOf(
  known: ReturnType<typeof createKnowledge>,
  lockfiles: readonly NamedLockfile[],
  licenses: Policy['licenses'],
): Ports {
  const facts = known.versions as unknown as RefreshedFacts<VersionRecordSummary>;
  const base = ports({
    insights: {
      resolve: (packages) => resolveFromFacts({ eligibility: ELIGIBILITY, facts }, packages),
      advisory: async () => undefined,
      dependencies: async () => undefined,
    },
    fleet: {
      summary: async () => SUMMARY,
      inventory: async (hash) => {
        const named = lockfiles[Number(hash)] as NamedLockfile;
        const { format, problems } = named.rest;
        return { format, problems, packages: await expandLockfile(named) };
      },
      namedLockfile: async (hash) => lockfiles[Number(hash)] as NamedLockfile,
    },
    routes: ['default'],
  });
  const policy = { ...base.policy.policy(), ...defined({ licenses }) };
  return {
    ...base,
    policy: { ...base.policy, policy: () => policy },
    facts: { versions: known.versions, advisories: { ...base.facts.advisories, ...known.advisories } },
    inspections: { ...base.inspections, ...known.inspections },
  };
}

async function judge(given: Ports, state: TargetState) {
  const payload = { selection: 's', round: 0, requestedAt: new Date(1_000).toISOString(), target: 'web' };
  return await judgeTarget.run(payload, { ...given, targets: { read: async () => state } }, context());
}

it('a judgement of the packages of which something may be found is that of all packages, whatever changes', async () => {
  const random = randomOf('NOTABLE_SEED');
  let [some, changes] = [0, 0];
  for (let round = 0; round < ROUNDS; round += 1) {
    const lockfiles = [await drawLockfile(random), await drawLockfile(random)];
    const known = createKnowledge(random);
    known.draw(1);
    const given = portsOf(known, lockfiles, random() < 0.1 ? LICENSES : undefined);
    const facts = known.versions as unknown as RefreshedFacts<VersionRecordSummary>;
    const isPlain = createPlainVersions({ eligibility: ELIGIBILITY, facts });
    const insights: Ports['insights'] = {
      ...given.insights,
      async isPlain(identities, packageOf) {
        some += 1;
        return (await isPlain?.(identities, packageOf)) ?? [];
      },
    };
    const files = lockfiles.map((_, at) => ({ path: `${at}/package-lock.json`, inventory: String(at) }));
    let state: TargetState = {
      ...{ revision: 1, scan: 'scan-1', requestedAt: new Date(0).toISOString(), findings: [] },
      lockfiles: files.map((file) => ({ ...file, sha256: 'a'.repeat(64) })),
    };
    for (let change = 0; change < CHANGES; change += 1) {
      const all = await judge(given, state);
      expect(withoutRevision(await judge({ ...given, insights }, state))).toEqual(withoutRevision(all));
      changes += all.result?.changes.length ?? 0;
      if (all.state !== undefined && 'state' in all.state)
        state = JSON.parse(JSON.stringify(all.state.state));
      known.draw(0.1);
    }
  }
  // Most judgements leave packages out, and there is something to be found.
  expect(some).toBeGreaterThan(ROUNDS * CHANGES);
  expect(changes).toBeGreaterThan(ROUNDS * CHANGES);
});

/** Each state has a revision of its own. */
function withoutRevision({ state: change, ...run }: Awaited<ReturnType<typeof judge>>): object {
  if (change === undefined || !('state' in change)) return { ...run, change };
  const { revision: _, ...state } = change.state;
  return { ...run, change: { ...change, state } };
}

const PLAIN = {
  versionKey: { system: 'NPM', name: 'p1', version: '1.0.0' },
  isDefault: false,
  isDeprecated: false,
  licenses: ['MIT'],
  advisoryIds: [],
};

it.each<readonly [what: string, fact: unknown, isPlain: boolean]>([
  ['a record without anything', { record: PLAIN }, true],
  [
    'one with its version and a date',
    { version: 1, record: { ...PLAIN, publishedAt: '2024-03-01T12:00:00Z' } },
    true,
  ],
  ['no fact', undefined, false],
  ['no object', [7], false],
  ['that there is none', { missing: true }, false],
  ['a doubted record', { record: PLAIN, doubted: { missing: true } }, false],
  ['a field of another release', { record: PLAIN, vanished: true }, false],
  ['a record with one', { record: { ...PLAIN, yanked: true } }, false],
  ['an advisory', { record: { ...PLAIN, advisoryIds: ['GHSA-1'] } }, false],
  ['advisories that are no list', { record: { ...PLAIN, advisoryIds: '' } }, false],
  ['no word of advisories', { record: { ...PLAIN, advisoryIds: undefined } }, false],
  ['a deprecation', { record: { ...PLAIN, isDeprecated: true } }, false],
  ['no word of deprecation', { record: { ...PLAIN, isDeprecated: undefined } }, false],
  ['licences that are no texts', { record: { ...PLAIN, licenses: [7] } }, false],
  ['a date that is no text', { record: { ...PLAIN, publishedAt: 7 } }, false],
  ['another version', { record: { ...PLAIN, versionKey: { ...PLAIN.versionKey, version: '2.0.0' } } }, false],
  [
    'a version that is no text',
    { record: { ...PLAIN, versionKey: { ...PLAIN.versionKey, name: ['p1'] } } },
    false,
  ],
])('a version with %s as its stored fact: plain %j', async (_what, fact, expected) => {
  const facts = {
    news: async () => ({ until: '1', replaced: undefined }),
    unchecked: async (keys: readonly string[]) => keys.map(() => fact),
  } as unknown as RefreshedFacts<VersionRecordSummary>;
  const isPlain = createPlainVersions({ eligibility: ELIGIBILITY, facts });
  const answers = () => isPlain?.(['NPM:p1@1.0.0'], lockedPackageOf);
  expect([await answers(), await answers()]).toEqual([[expected], [expected]]);
});

it('a stored fact is read once until it is replaced, and a version without one each time', async () => {
  const stored = new Map<string, unknown>([['NPM:p1@1.0.0', { record: { ...PLAIN, yanked: true } }]]);
  const read: string[] = [];
  let replaced: readonly string[] | undefined;
  let until = 1;
  const facts = {
    news: async () => ({ until: String(until), replaced }),
    unchecked: async (keys: readonly string[]) => {
      read.push(...keys);
      return keys.map((key) => stored.get(key));
    },
  } as unknown as RefreshedFacts<VersionRecordSummary>;
  const isPlain = createPlainVersions({ eligibility: ELIGIBILITY, facts });
  const answers = async () => {
    read.length = 0;
    const plain = await isPlain?.(['NPM:p1@1.0.0', 'NPM:p2@1.0.0'], lockedPackageOf);
    return { plain, read: [...read] };
  };
  expect(await answers()).toEqual({ plain: [false, false], read: ['NPM:p1@1.0.0', 'NPM:p2@1.0.0'] });
  // The first fact of a version changes no revision.
  stored.set('NPM:p2@1.0.0', {
    record: { ...PLAIN, versionKey: { ...PLAIN.versionKey, name: 'p2' } },
  });
  expect(await answers()).toEqual({ plain: [false, true], read: ['NPM:p2@1.0.0'] });
  expect(await answers()).toEqual({ plain: [false, true], read: [] });
  stored.set('NPM:p1@1.0.0', { record: PLAIN });
  until = 2;
  replaced = ['NPM:p1@1.0.0'];
  expect(await answers()).toEqual({ plain: [true, true], read: ['NPM:p1@1.0.0'] });
});
