import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdvisoryFact, InsightsData } from '../../src/embedded/insights/data-set.ts';
import type { Finding } from '../../src/model/scan/finding.ts';
import { SIGNALS } from '../../src/model/signal/signals.ts';
import { randomOf } from '../seeded-random.ts';
import { createWorld, type Room, type WorkerProcess, type World } from './world.ts';

/** `MONTH_DAYS`: how many days the simulation has. */
const DAYS = Number(process.env['MONTH_DAYS'] ?? 30);
const TARGETS = 10;
const PACKAGES = 40;
/** Versions of these vanish; advisories are about the others. */
const VANISHING = 6;
const PUBLISHED_AT = '2025-01-01T00:00:00Z';
const VERSIONS = ['1.0.0', '2.0.0', '3.0.0', '4.0.0'];
const ADVISORY_EVENTS_A_DAY = 12;
const SETTLE_MS = 90_000;
const WATCH = 'watch: { every: 1s, young: 0s, jitter: 0s }';

const random = randomOf('MONTH_SEED');
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

/** An open finding in a target: which severity its receiver knows. */
type Open = ReadonlyMap<string, string>;

/** The world as it is: what a scanner without faults would report. */
interface Truth {
  readonly advisories: Map<string, AdvisoryFact>;
  /** `name@version`. */
  readonly vanished: Set<string>;
  /** Version by name, by target. */
  readonly lockfiles: Map<string, Map<string, string>>;
}

function openFindings({ advisories, vanished, lockfiles }: Truth): Open {
  const open = new Map<string, string>();
  for (const [target, packages] of lockfiles) {
    for (const [name, version] of packages) {
      if (vanished.has(`${name}@${version}`)) open.set(`${target} ${name}@${version} vanished`, 'high');
      for (const { id, affected, score = 0 } of advisories.values()) {
        if (!affected.some((one) => one.name === name && one.range.split(' || ').includes(version))) continue;
        open.set(`${target} ${name} ${id}`, severityOf(score));
      }
    }
  }
  return open;
}

function severityOf(score: number): string {
  if (score >= 9) return 'critical';
  return score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low';
}

const SEVERITIES = ['low', 'medium', 'high', 'critical'];

function createTruth(): Truth {
  const lockfiles = new Map<string, Map<string, string>>();
  for (let index = 0; index < TARGETS; index += 1) {
    const packages = new Map<string, string>();
    while (packages.size < 16) packages.set(`p${below(PACKAGES)}`, oneOf(VERSIONS));
    lockfiles.set(`target-${index}`, packages);
  }
  return { advisories: new Map(), vanished: new Set(), lockfiles };
}

function dataOf(): InsightsData {
  const packages = Array.from({ length: PACKAGES }, (_, index) => ({
    system: 'NPM' as const,
    name: `p${index}`,
    versions: VERSIONS.map((version) => ({ version, publishedAt: PUBLISHED_AT })),
  }));
  return { packages, advisories: [] };
}

/** A package-lock in which each package depends on the next one. */
function lockfileOf(packages: ReadonlyMap<string, string>): string {
  const names = [...packages.keys()];
  const entries = names.map((name, index) => {
    const next = index % 4 === 3 ? undefined : names[index + 1];
    const version = packages.get(name);
    return [
      `node_modules/${name}`,
      { version, ...(next === undefined ? {} : { dependencies: { [next]: '*' } }) },
    ];
  });
  const direct = Object.fromEntries(names.filter((_, index) => index % 4 === 0).map((name) => [name, '*']));
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies: direct }, ...Object.fromEntries(entries) },
  });
}

interface SentChange {
  readonly target: string | null;
  readonly transition: string;
  readonly severity: string;
  readonly rule: string;
  readonly package: string;
  readonly version: string;
  readonly advisories: readonly string[];
}

/** What a receiver knows after all deliveries. Throws for a change that is repeated or out of order. */
function ledgerOf(bodies: readonly string[]): Open {
  const open = new Map<string, string>();
  const closed = new Set<string>();
  for (const body of bodies) {
    const event = JSON.parse(body) as { readonly target: string; readonly changes: readonly SentChange[] };
    for (const change of event.changes) {
      const key = keyOf(change.target ?? event.target, change);
      // An issue that was resolved opens anew in another version of its package.
      const again = closed.has(key) ? ['reopened', 'opened'] : ['opened'];
      const expected = open.has(key) ? ['resolved', 'worsened'] : again;
      if (!expected.includes(change.transition)) {
        throw new Error(`${change.transition} ${key}: expected ${expected.join(' or ')}`);
      }
      if (change.transition !== 'resolved') {
        open.set(key, change.severity);
        continue;
      }
      open.delete(key);
      closed.add(key);
    }
  }
  return open;
}

function keyOf(target: string, { rule, package: name, version, advisories }: SentChange): string {
  return rule === 'vanished'
    ? `${target} ${name}@${version} vanished`
    : `${target} ${name} ${advisories[0] ?? rule}`;
}

const SIGNAL_NAMES: ReadonlySet<string> = new Set(SIGNALS);

describe('a month of a fleet', () => {
  let world: World;
  let room: Room;
  const workers: WorkerProcess[] = [];
  const truth = createTruth();
  let scans = 0;

  beforeAll(async () => {
    world = await createWorld(undefined, { insights: { data: dataOf() } });
    room = await world.room('month', ['firstScan: all'], { config: [WATCH], recordTtl: '1h' });
    for (let count = 0; count < 2; count += 1) workers.push(room.startWorker());
  }, 60_000);
  afterAll(() => world.close());

  const bodies = () =>
    world.services.receiver
      .deliveries()
      .filter(({ path }) => path === '/month')
      .map(({ body }) => body);

  async function scan(where: Room, target: string): Promise<string> {
    scans += 1;
    const name = `scan-${scans}`;
    await where.producer.enqueue({
      scan: name,
      target: { id: target },
      lockfiles: [
        { path: 'package-lock.json', content: lockfileOf(truth.lockfiles.get(target) ?? new Map()) },
      ],
    });
    return name;
  }

  /** Findings that the receiver does not know, or knows as less severe. Severities that were lowered are not sent. */
  function unsettled(expected: Open): readonly string[] {
    const ledger = ledgerOf(bodies());
    const missing = [...expected].flatMap(([key, severity]) => {
      const known = ledger.get(key);
      const isKnown = known !== undefined && SEVERITIES.indexOf(known) >= SEVERITIES.indexOf(severity);
      return isKnown ? [] : `${key} is ${severity}, the receiver knows ${known}`;
    });
    const gone = [...ledger.keys()].filter((key) => !expected.has(key));
    return [...missing, ...gone.map((key) => `${key} is resolved`)].sort();
  }

  async function settled(day: number): Promise<void> {
    const expected = openFindings(truth);
    const deadline = Date.now() + SETTLE_MS;
    for (let left = unsettled(expected); left.length > 0; left = unsettled(expected)) {
      if (Date.now() > deadline) expect({ day, left }).toEqual({ day, left: [] });
      await sleep(50);
    }
  }

  function changeAdvisories(): void {
    const { insights } = world.services;
    for (let count = 0; count < ADVISORY_EVENTS_A_DAY; count += 1) {
      const known = [...truth.advisories.values()];
      const kind = random();
      if (kind < 0.6 || known.length === 0) {
        const advisory: AdvisoryFact = {
          id: `GHSA-test-0000-${String(truth.advisories.size + below(1_000_000)).padStart(7, '0')}`,
          title: 'A flaw',
          aliases: [],
          score: 1 + below(90) / 10,
          affected: [
            {
              system: 'NPM',
              name: `p${VANISHING + below(PACKAGES - VANISHING)}`,
              range: VERSIONS.filter(() => random() < 0.5).join(' || ') || '1.0.0',
            },
          ],
          heldBack: false,
        };
        truth.advisories.set(advisory.id, advisory);
        insights.learnAdvisory(advisory);
      } else if (kind < 0.8) {
        const changed = { ...oneOf(known), score: 1 + below(90) / 10 };
        truth.advisories.set(changed.id, changed);
        insights.learnAdvisory(changed);
      } else {
        const { id } = oneOf(known);
        truth.advisories.delete(id);
        insights.withdrawAdvisory(id);
      }
    }
  }

  function setVanished(name: string, version: string, isVanished: boolean): void {
    if (isVanished) truth.vanished.add(`${name}@${version}`);
    else truth.vanished.delete(`${name}@${version}`);
    const versions = VERSIONS.filter((one) => !truth.vanished.has(`${name}@${one}`)).map((one) => ({
      version: one,
      publishedAt: PUBLISHED_AT,
    }));
    world.services.insights.putPackage({ system: 'NPM', name, versions });
  }

  async function changeLockfiles(): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      const target = `target-${below(TARGETS)}`;
      const packages = truth.lockfiles.get(target);
      if (packages === undefined) continue;
      const [name] = oneOf([...packages]);
      if (random() < 0.5) packages.delete(name);
      const added = `p${below(PACKAGES)}`;
      const version = oneOf(VERSIONS);
      if (!truth.vanished.has(`${added}@${version}`)) packages.set(added, version);
      await scan(room, target);
    }
  }

  async function disturb(): Promise<void> {
    if (random() < 0.3) {
      world.services.insights.faults.inject({ kind: 'answer', status: 503 }, { times: 1 + below(20) });
    }
    if (random() < 0.3)
      world.services.receiver.faults.inject({ kind: 'drop-answer' }, { times: 1 + below(2) });
    if (random() < 0.4) {
      await sleep(random() * 1_500);
      const [worker] = workers.splice(below(workers.length), 1);
      await worker?.kill('SIGKILL');
      workers.push(room.startWorker());
    }
  }

  it('alerts each change once, and ends in the state that clean scans give', async () => {
    for (const target of truth.lockfiles.keys()) await room.verdict(await scan(room, target));
    await settled(0);
    for (let day = 1; day <= DAYS; day += 1) {
      changeAdvisories();
      if (random() < 0.3) setVanished(`p${below(VANISHING)}`, oneOf(VERSIONS), random() < 0.6);
      await changeLockfiles();
      await disturb();
      await settled(day);
    }
    for (const gone of truth.vanished) {
      const [name = '', version = ''] = gone.split('@');
      setVanished(name, version, false);
    }
    await settled(DAYS + 1);
    const clean = await world.room('clean', ['firstScan: all'], { recordTtl: '1h' });
    const worker = clean.startWorker();
    const findingsOf = async (where: Room, target: string) => {
      const tracked = (await where.store.targets.read(target))?.findings ?? [];
      // A clean scan has no signals: its packages are its baseline.
      const compared = tracked.filter(({ finding }) => !SIGNAL_NAMES.has(finding.rule));
      return compared.flatMap(({ status, finding }) => (status === 'open' ? comparable(finding) : [])).sort();
    };
    for (const target of truth.lockfiles.keys()) {
      await clean.verdict(await scan(clean, target));
      expect(await findingsOf(room, target)).toEqual(await findingsOf(clean, target));
    }
    await worker.kill('SIGTERM');
  }, 240_000);
});

/** Without the fingerprint, which a finding keeps when its package is upgraded. */
function comparable({ fingerprint: _, ...finding }: Finding): string {
  return JSON.stringify(finding);
}
