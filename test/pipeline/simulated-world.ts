import { type Open, severityOf } from '../../simulation/oracle.ts';
import type { AdvisoryFact, IndexedPackage } from '../../src/embedded/insights/data-set.ts';
import type { InsightsService } from '../../src/embedded/insights/service.ts';
import { randomOf } from '../seeded-random.ts';
import type { Room } from './world.ts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** A Friday. All other times count from it. */
export const START = Date.parse('2026-02-27T00:00:00Z');
/** Between two refreshes of everything. */
export const STEP = DAY;
const TARGETS = 6;
const PACKAGES = 24;
/** Versions of these vanish; advisories are about the others. */
const VANISHING = 4;
const VERSIONS = ['1.0.0', '2.0.0', '3.0.0'];
const OLD = '2025-01-01T00:00:00Z';
const ADVISORY_EVENTS = 12;
/** Of these, corrections of one kind. Lockhound believes five at once of so small a fleet, also after days without a worker. */
const CORRECTIONS = 1;

/** Each suppression is one of an advisory of its own, and ends an hour after the start of a day. */
const SUPPRESSED_DAYS = [1, 3, 4, 10];
const SUPPRESSED_PACKAGE = 'suppressed';
const SUPPRESSED_TARGETS = 3;
const FRESH_LOCKED = [DAY, 10 * DAY];
/** A target locks a version that the index never had. */
const UNINDEXED = { from: DAY, to: 4 * DAY, name: `p${PACKAGES - 1}`, version: '9.9.9' };
/** The service answers nothing. */
export const OUTAGE = { from: 5 * DAY, to: 7 * DAY };

const UNINDEXED_AFTER = 46 * HOUR;
const MINIMUM_AGE = 72 * HOUR;
const STALE_AFTER = 25 * HOUR;

const suppressedId = (day: number): string => `GHSA-supp-0000-${String(day).padStart(4, '0')}`;
const suppressedUntil = (day: number): number => START + day * DAY + HOUR;

/** Findings that are suppressed from the start, by the time when that ends. */
export const SUPPRESSED: ReadonlyMap<string, number> = new Map(
  SUPPRESSED_DAYS.flatMap((day) =>
    Array.from(
      { length: SUPPRESSED_TARGETS },
      (_, index) =>
        [`target-${index} ${SUPPRESSED_PACKAGE} ${suppressedId(day)}`, suppressedUntil(day)] as const,
    ),
  ),
);

/** Lines of the configuration. */
export const CONFIG = [
  `watch: { every: ${STEP / HOUR}h, young: 10m, jitter: 0s, staleAfter: ${STALE_AFTER / HOUR}h }`,
  `policy: { unindexedAfter: ${UNINDEXED_AFTER / HOUR}h, minimumAge: ${MINIMUM_AGE / HOUR}h, rules: { fresh-release: { level: alert } } }`,
  'suppressions:',
  ...SUPPRESSED_DAYS.map((day) => {
    const expires = new Date(suppressedUntil(day)).toISOString();
    return `  - { reason: not reachable, advisory: ${suppressedId(day)}, expires: "${expires}" }`;
  }),
];

const random = randomOf('CLOCK_SEED');
const below = (limit: number): number => Math.floor(random() * limit);
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

function packageOf(name: string, versions: readonly string[], publishedAt = OLD): IndexedPackage {
  return { system: 'NPM', name, versions: versions.map((version) => ({ version, publishedAt })) };
}

function advisoryOf(id: string, name: string, versions: readonly string[]): AdvisoryFact {
  const affected = [{ system: 'NPM' as const, name, range: versions.join(' || ') }];
  return { id, title: 'A flaw', aliases: [], score: 1 + below(90) / 10, affected, heldBack: false };
}

/** The packages that the service knows at the start. */
export const FIRST_PACKAGES = [
  ...Array.from({ length: PACKAGES }, (_, index) => packageOf(`p${index}`, VERSIONS)),
  packageOf(SUPPRESSED_PACKAGE, VERSIONS),
];

/** Advisories, versions and lockfiles as they are, and what receivers must know of them. */
export function createSimulatedWorld(insights: InsightsService) {
  const advisories = new Map<string, AdvisoryFact>();
  /** `name@version`. */
  const vanished = new Set<string>();
  /** Times of publication of versions that are locked while they are fresh, by name. */
  const published = new Map<string, number>();
  /** Versions by name, by target. */
  const lockfiles = new Map<string, Map<string, string>>();
  /** Targets whose lockfile has changed since it was scanned. */
  const changed = new Set<string>();

  const learn = (one: AdvisoryFact): void => {
    advisories.set(one.id, one);
    insights.learnAdvisory(one);
  };
  const lock = (target: string, name: string, version: string | undefined): void => {
    if (version === undefined) lockfiles.get(target)?.delete(name);
    else lockfiles.get(target)?.set(name, version);
    changed.add(target);
  };
  const setVanished = (name: string, version: string, isVanished: boolean): void => {
    if (isVanished) vanished.add(`${name}@${version}`);
    else vanished.delete(`${name}@${version}`);
    insights.putPackage(
      packageOf(
        name,
        VERSIONS.filter((one) => !vanished.has(`${name}@${one}`)),
      ),
    );
  };

  for (let index = 0; index < TARGETS; index += 1) {
    const packages = new Map<string, string>();
    if (index < SUPPRESSED_TARGETS) packages.set(SUPPRESSED_PACKAGE, '1.0.0');
    while (packages.size < 10) packages.set(`p${below(PACKAGES)}`, oneOf(VERSIONS));
    lockfiles.set(`target-${index}`, packages);
    changed.add(`target-${index}`);
  }
  for (const day of SUPPRESSED_DAYS) learn(advisoryOf(suppressedId(day), SUPPRESSED_PACKAGE, ['1.0.0']));

  function changeAdvisory(corrected: { scores: number; withdrawn: number }): void {
    const known = [...advisories.values()].filter(({ affected }) => affected[0]?.name !== SUPPRESSED_PACKAGE);
    const kind = random();
    const isEnough = (kind < 0.8 ? corrected.scores : corrected.withdrawn) === CORRECTIONS;
    if (kind < 0.6 || known.length === 0 || isEnough) {
      const id = `GHSA-test-0000-${String(advisories.size + below(1_000_000)).padStart(7, '0')}`;
      const name = `p${VANISHING + below(PACKAGES - VANISHING)}`;
      learn(advisoryOf(id, name, [oneOf(VERSIONS), oneOf(VERSIONS)]));
    } else if (kind < 0.8) {
      corrected.scores += 1;
      learn({ ...oneOf(known), score: 1 + below(90) / 10 });
    } else {
      corrected.withdrawn += 1;
      const { id } = oneOf(known);
      advisories.delete(id);
      insights.withdrawAdvisory(id);
    }
  }

  function changeLockfile(): void {
    const [name, version, target] = [`p${below(PACKAGES)}`, oneOf(VERSIONS), `target-${below(TARGETS)}`];
    if (name === UNINDEXED.name || vanished.has(`${name}@${version}`)) return;
    lock(target, name, random() < 0.3 ? undefined : version);
  }

  /** Keys of what is open because of one package, with severities. */
  function* openOf(target: string, name: string, version: string, now: number): Generator<[string, string]> {
    const own = `${target} ${name}@${version}`;
    if (vanished.has(`${name}@${version}`)) yield [`${own} vanished`, 'high'];
    if (now - (published.get(name) ?? 0) < MINIMUM_AGE) yield [`${own} fresh-release`, 'low'];
    if (version === UNINDEXED.version && now - START > UNINDEXED.from + UNINDEXED_AFTER)
      yield [`${own} unindexed`, 'medium'];
    for (const { id, affected, score = 0 } of advisories.values()) {
      const isAffected = affected.some(
        (one) => one.name === name && one.range.split(' || ').includes(version),
      );
      const key = `${target} ${name} ${id}`;
      if (isAffected && now >= (SUPPRESSED.get(key) ?? 0)) yield [key, severityOf(score)];
    }
  }

  return {
    targets: () => [...lockfiles.keys()],
    /** What happens between two steps, the second of which is at a time. */
    live(sinceStart: number): void {
      const corrected = { scores: 0, withdrawn: 0 };
      for (let count = 0; count < ADVISORY_EVENTS; count += 1) changeAdvisory(corrected);
      if (random() < 0.4) setVanished(`p${below(VANISHING)}`, oneOf(VERSIONS), random() < 0.6);
      changeLockfile();
      const fresh = FRESH_LOCKED.indexOf(sinceStart);
      if (fresh >= 0) {
        const at = START + sinceStart - HOUR;
        published.set(`fresh-${fresh}`, at);
        insights.putPackage(packageOf(`fresh-${fresh}`, ['1.0.0'], new Date(at).toISOString()));
        lock(`target-${fresh}`, `fresh-${fresh}`, '1.0.0');
      }
      if (sinceStart === UNINDEXED.from) lock('target-5', UNINDEXED.name, UNINDEXED.version);
      if (sinceStart === UNINDEXED.to) lock('target-5', UNINDEXED.name, '1.0.0');
    },
    /** The service has all versions again. */
    restoreVersions(): void {
      for (const gone of [...vanished]) {
        const [name = '', version = ''] = gone.split('@');
        setVanished(name, version, false);
      }
    },
    /** Queues scans of all targets, or of those whose lockfile has changed. */
    async scan({ producer }: Pick<Room, 'producer'>, targets: Iterable<string> = changed): Promise<void> {
      for (const id of targets) {
        const content = lockfileOf(lockfiles.get(id) ?? new Map());
        await producer.enqueue({ target: { id }, lockfiles: [{ path: 'package-lock.json', content }] });
      }
      changed.clear();
    },
    /** What receivers have to know at a time. */
    open(sinceStart: number): Open {
      const open = new Map<string, string>();
      for (const [target, packages] of lockfiles) {
        for (const [name, version] of packages) {
          for (const [key, severity] of openOf(target, name, version, START + sinceStart))
            open.set(key, severity);
        }
      }
      // The last answers are those of the refresh before.
      if (sinceStart > OUTAGE.from - STEP + STALE_AFTER && sinceStart < OUTAGE.to)
        open.set('lockhound:fleet package-insights@ stale-facts', 'high');
      return open;
    },
  };
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
