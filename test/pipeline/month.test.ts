import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Open, severityOf } from '../../simulation/oracle.ts';
import {
  type AdvisoryFact,
  type InsightsData,
  readBundledData,
} from '../../src/embedded/insights/data-set.ts';
import { randomOf } from '../seeded-random.ts';
import { LIMIT_MS } from '../until.ts';
import { lockfileOf } from './chained-lockfile.ts';
import { openFindingsOf } from './open-findings.ts';
import { unsettled } from './unsettled.ts';
import { createWorld, type Room, type WorkerProcess, type World } from './world.ts';

/** `MONTH_DAYS`: how many days the simulation has; the default is a week. */
const DAYS = Number(process.env['MONTH_DAYS'] ?? 7);
const TARGETS = 10;
const PACKAGES = 40;
/** Versions of these vanish; advisories are about the others. */
const VANISHING = 6;
const PUBLISHED_AT = '2025-01-01T00:00:00Z';
const VERSIONS = ['1.0.0', '2.0.0', '3.0.0', '4.0.0'];
const ADVISORY_EVENTS_A_DAY = 12;
/** Of these, corrections of one kind. Lockhound believes five at once of so small a fleet. */
const CORRECTIONS_A_DAY = 4;
const WATCH = 'watch: { every: 1s, young: 0s, jitter: 0s }';

const random = randomOf('MONTH_SEED');
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

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

function createTruth(): Truth {
  const lockfiles = new Map<string, Map<string, string>>();
  for (let index = 0; index < TARGETS; index += 1) {
    const packages = new Map<string, string>();
    while (packages.size < 16) packages.set(`p${below(PACKAGES)}`, oneOf(VERSIONS));
    lockfiles.set(`target-${index}`, packages);
  }
  return { advisories: new Map(), vanished: new Set(), lockfiles };
}

/** With the well-known versions that prove to Lockhound that the index still has its data. */
async function dataOf(): Promise<InsightsData> {
  const bundled = await readBundledData();
  const packages = Array.from({ length: PACKAGES }, (_, index) => ({
    system: 'NPM' as const,
    name: `p${index}`,
    versions: VERSIONS.map((version) => ({ version, publishedAt: PUBLISHED_AT })),
  }));
  return { ...bundled, partial: false, packages: [...bundled.packages, ...packages] };
}

describe('a month of a fleet', () => {
  let world: World;
  let room: Room;
  const workers: WorkerProcess[] = [];
  const truth = createTruth();
  let scans = 0;

  beforeAll(async () => {
    world = await createWorld(undefined, { insights: { data: await dataOf() } });
    room = await world.room('month', ['firstScan: all'], { config: [WATCH], recordTtl: '1h' });
    for (let count = 0; count < 2; count += 1) workers.push(room.startWorker());
  });
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

  async function settled(day: number): Promise<void> {
    const expected = openFindings(truth);
    const deadline = Date.now() + LIMIT_MS;
    for (let left = unsettled(expected, bodies()); left.length > 0; left = unsettled(expected, bodies())) {
      if (Date.now() > deadline) expect({ day, left }).toEqual({ day, left: [] });
      await sleep(50);
    }
  }

  function changeAdvisories(): void {
    const { insights } = world.services;
    const corrected = { scores: 0, withdrawn: 0 };
    for (let count = 0; count < ADVISORY_EVENTS_A_DAY; count += 1) {
      const known = [...truth.advisories.values()];
      const kind = random();
      const isEnough = (kind < 0.8 ? corrected.scores : corrected.withdrawn) === CORRECTIONS_A_DAY;
      if (kind < 0.6 || known.length === 0 || isEnough) {
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
        corrected.scores += 1;
        const changed = { ...oneOf(known), score: 1 + below(90) / 10 };
        truth.advisories.set(changed.id, changed);
        insights.learnAdvisory(changed);
      } else {
        corrected.withdrawn += 1;
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
    // A refresh goes on some 20 seconds after an outage: it asks a failing service rarely.
    if (random() < 0.15) {
      // An outage has a duration, not a number of answers: clients ask less the longer it lasts.
      const { faults } = world.services.insights;
      faults.inject({ kind: 'answer', status: 503 }, { every: 1 });
      setTimeout(() => faults.clear(), 1 + below(2_000)).unref();
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
    for (const target of truth.lockfiles.keys()) {
      await clean.verdict(await scan(clean, target));
      expect(await openFindingsOf(room, target)).toEqual(await openFindingsOf(clean, target));
    }
    await worker.kill('SIGTERM');
  });
});
