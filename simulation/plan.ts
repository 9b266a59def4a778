import { createRandom, type Random } from './random.ts';
import {
  SERVICE_FAULTS,
  type ServiceFault,
  type ServiceName,
  VERSIONS,
  type WorldAdvisory,
} from './world.ts';

/** Something that happens at a time after the beginning of its round, in milliseconds. */
export type Step = { readonly round: number; readonly at: number } & Happening;

/** Names and versions. */
export type Packages = readonly (readonly [string, string])[];

export type Happening =
  /**
   * A producer asks for a scan of a target with these packages. `via`: another program, which knows only the queue. `after`: soon afterwards
   * somebody asks for the same scan, for another content under its id, or, under another id, for the same content, with other labels,
   * without a change, or when the index has a package that it did not have before (`late`, about which there is an advisory). `release`: for
   * the same content as a release. `unread`: with a lockfile that cannot be read.
   */
  | {
      readonly kind: 'scan';
      readonly target: string;
      readonly packages: Packages;
      /** Its number among the scans of a busy target. */
      readonly extra?: number;
      /** The package whose version the manifest beside the lockfile overrides. */
      readonly override?: string;
      readonly via?: 'queue';
      readonly after?: 'same' | 'other' | 'unchanged' | 'labels' | 'late' | 'release' | 'unread';
      /** Its lockfile cannot be read. */
      readonly unread?: boolean;
    }
  /** The lockfile of a target changes that Lockhound reads itself. */
  | { readonly kind: 'file'; readonly target: string; readonly packages: Packages }
  /** Another program queues a payload that no worker accepts. */
  | { readonly kind: 'refused'; readonly index: number }
  /** Another program queues a payload of a newer release, and takes it back. */
  | { readonly kind: 'newer' }
  /** The receiver of alerts is gone for some time, which stops its route; then an operator resumes it. */
  | { readonly kind: 'gone'; readonly ms: number }
  | { readonly kind: 'advisory'; readonly advisory: WorldAdvisory }
  | { readonly kind: 'withdraw'; readonly id: string }
  /**
   * A worker dies that has queued the judgements of a selection, before it has ended. Before another worker ends it, the scan of a target
   * learns of a second advisory about the same version.
   */
  | {
      readonly kind: 'reselect';
      readonly target: string;
      readonly advisories: readonly [WorldAdvisory, WorldAdvisory];
      readonly ms: number;
    }
  | WorkerFault
  /** The connections of one worker, or of everybody, break. */
  | ({ readonly kind: 'cut'; readonly everybody: boolean } & AtChunk)
  /** Redis does not answer for some time. */
  | { readonly kind: 'freeze'; readonly ms: number }
  /** Redis restarts, after the worker has received `lostChunks` more. It has lost what was written since the step. */
  | ({ readonly kind: 'power-loss'; readonly lostChunks: number; readonly ms: number } & AtChunk)
  /** Redis restarts when a worker has the answer to a write, and has lost what was written since that was sent. */
  | { readonly kind: 'lost-write'; readonly write: AtWrite; readonly ms: number }
  | {
      readonly kind: 'service';
      readonly service: ServiceName;
      readonly fault: ServiceFault;
      readonly part: number;
      readonly ms: number;
    };

/** It happens when a worker has received so many more chunks from Redis: most of them arrive while it works. */
interface AtChunk {
  readonly worker: number;
  readonly chunks: number;
}

/** It happens when a worker has the answer to a write of a job of this queue that has sent so many other writes. */
export interface AtWrite {
  readonly queue: string;
  readonly writes: number;
}

type WorkerFault = {
  readonly worker: number;
  readonly ms: number;
} /** `write`: instead of a chunk, and to the worker that has its answer. */ & (
  | ({ readonly kind: 'kill' | 'stop'; readonly write?: AtWrite } & AtChunk)
  | { readonly kind: 'term' }
  | { readonly kind: 'clock'; readonly aheadMs: number }
);

/** Everything that happens in a history. */
export interface Plan {
  readonly seed: number;
  readonly targets: number;
  readonly workers: number;
  readonly rounds: number;
  readonly shards: number;
  /** Whether it has several routes, and targets that Lockhound reads itself. */
  readonly isLarge: boolean;
  /** Whether it suppresses an advisory for some time, and the history goes on until that has ended. */
  readonly isTimed: boolean;
  /** Whether manifests lie beside its lockfiles, which override versions. */
  readonly hasOverrides: boolean;
  readonly steps: readonly Step[];
}

/** Constants of sources that bound lists. Histories have smaller ones, which they reach. */
export const BOUNDS = {
  GROUPS: 2,
  LISTED: 3,
  MAX_REPLACED: 4,
  MAX_ISSUES: 1,
  MAX_SINGLE_CHANGES: 2,
  TARGETS_PER_JOB: 3,
  LEAST_EVERY_MS: 10_000,
  SELECTION_MS: 20_000,
} as const;

/** The time at which every history begins. */
export const START = Date.UTC(2026, 2, 1);
/** The rounds without faults: the first one, and one after all faults, in which everything has to be as it was before them. */
export const CALM_ROUNDS: readonly number[] = [0, 3];
/** The rounds between them. */
const FAULTY_ROUNDS = { first: 1, last: 2 };
/** Time in which the steps of a round happen, in milliseconds. */
export const ROUND_MS = 8_000;
const TARGETS = 10;
const WORKERS = 3;
const ROUNDS = 4;
const PACKAGES = 16;
const LOCKED = 4;
/** Faults of each history: at any moment, and at a step of a job. */
const FAULTS = 6;
const AIMED_FAULTS = 6;
/** Targets that Lockhound reads itself, in large installations. */
export const SOURCES: readonly string[] = ['target-8', 'target-9'];
/** The modes of routes, and the paths of those whose alerts gather what several scans found. */
export const MODES = ['digest', 'change', 'periodic', 'advisory'] as const;
export const GATHERED: ReadonlySet<string> = new Set(['/periodic', '/advisory']);
/** The lockfiles of this target say nothing about edges, in large installations. */
export const WITHOUT_EDGES = 'target-7';
/** Part of the histories with a large installation. */
const LARGE = 0.12;
/** Part of the histories in which a suppression ends. */
const TIMED = 0.1;
/** Distinguishes the random numbers for that from all others. */
const TIMES = 0x71e5;
/** Ends in calm, later than most histories would; then Lockhound judges its targets again. `ms`: since the start. */
export const SUPPRESSION = {
  ms: 180_000,
  targets: ['target-1', 'target-2', 'target-3'],
  advisory: { id: 'GHSA-test-8000-0001', name: 'suppressed', versions: ['1.0.0'], score: 8 },
} as const;
/** Its findings, as the oracle names them. */
export const SUPPRESSED: ReadonlySet<string> = new Set(
  SUPPRESSION.targets.map((target) => `${target} ${SUPPRESSION.advisory.name} ${SUPPRESSION.advisory.id}`),
);
/** Part of the other histories in which manifests override versions, and part of the scans that have such a manifest there. */
const OVERRIDING = 0.12;
const OVERRIDDEN = 0.6;
/** Distinguishes the random numbers for that from all others. */
const OVERRIDES = 0x0e44;
/** No lockfile has this package: an override of it is found to be idle without the index. */
const ABSENT = 'absent';
/** Part of the histories whose targets are spread over two shards. */
const SHARDED = 0.2;
const LONGEST_FAULT_MS = 8_000;
/** Part of the rounds in which a payload is refused. */
const REFUSED = 0.3;
/** Part of the faulty rounds in which a selection is repeated. */
const RESELECTED = 0.2;
/** Part of the faulty rounds in which one target is scanned again and again. */
const BUSY = 0.3;
const BUSY_TARGET = 'target-0';
const BUSY_SCANS = 8;
const BUSY_EVERY_MS = 700;
/** Seconds between two refreshes, of everything and of young versions. */
export const REFRESH_S = { all: 15, young: 20 } as const;
/** A refresh has looked at its packages, and its answers are fresh no more, after this time. */
const REFRESHED_MS = 3_000;

/** How long the answers of the last refresh, of everything or of young versions, may still be fresh, in ms. */
export function freshFor(now: number): number {
  const { all, young } = REFRESH_S;
  return Math.max(0, REFRESHED_MS - Math.min(now % (all * 1_000), now % (young * 1_000)));
}

/** Distinguishes the random numbers of late packages from all others, which stay the same. */
const LATE_PACKAGES = 0x7a7e;
/** Part of the calm rounds in which the index learns late of a package. */
const LATE = 0.3;
/** Distinguishes the random numbers of releases from all others, which stay the same. */
const RELEASES = 0x4e1e;
/** Part of the rounds in which a target is released. */
const RELEASED = 0.2;
/** Distinguishes the random numbers of lockfiles that cannot be read from all others, which stay the same. */
const MISREAD = 0x3ead;
/** Part of the rounds in which a lockfile cannot be read. */
const UNREAD = 0.3;
/** Part of the scans that are asked for in another way than by a producer, and once. */
const UNUSUAL = 0.25;
/** A scan and a refresh of such a fleet have a worker receive about so many chunks. */
const MOST_CHUNKS = 200;

/** Queues whose jobs faults aim at, the rare ones as often as the others; and writes of a job, about. */
const QUEUES: readonly string[] = [
  ...['ingest-lockfiles', 'judge-scan', 'judge-target', 'refresh-facts', 'finish-refresh', 'select-targets'],
  ...['deliver-notification', 'deliver-notification', 'refresh-fleet', 'refresh-fleet'],
  ...['schedules', 'schedules'],
];
const QUEUE_OF_OVERRIDES = 'look-up-exceptions';
const QUEUES_OF_LARGE = ['gather-digest', 'run-schedule', 'read-source', 'expand-dependencies'] as const;
const MOST_WRITES = 3;
/** A worker that is stopped for so long finds its jobs done by another one: locks expire after 5 seconds. */
const LONGEST_STOP_MS = 25_000;
/** Chunks that a worker receives while Redis loses writes. */
const MOST_LOST_CHUNKS = 60;
/** Chunks between the first and the last step of one job. */
const FEW_LOST_CHUNKS = 8;

const SERVICES: readonly ServiceName[] = ['insights', 'receiver', 'files'];

/**
 * After 401 an alert is sent again, as after 500. A receiver that answers with 200 has accepted it, whatever the answer is.
 */
const RECEIVER_FAULTS: readonly ServiceFault[] = ['429', '500', 'drop', 'drop-answer', 'hang', 'slow'];

export const NAMES: readonly string[] = Array.from({ length: PACKAGES }, (_, index) => `p${index}`);

/** Plans the history of a seed: each target has one new lockfile in each round. */
export function planOf(seed: number): Plan {
  const random = createRandom(seed);
  const steps: Step[] = [];
  const locks = new Map<string, Map<string, string>>();
  const advisories: WorldAdvisory[] = [];
  const isLarge = random.next() < LARGE;
  const isTimed = !isLarge && createRandom(seed ^ TIMES).next() < TIMED;
  const overrides = createRandom(seed ^ OVERRIDES);
  const hasOverrides = !isLarge && !isTimed && overrides.next() < OVERRIDING;
  const withdrawal = random.between(FAULTY_ROUNDS.first, ROUNDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    steps.push(...requestsOf(round, locks, isLarge, random));
    // Steps have random times, so that two changes of one advisory could lower its score.
    const changeable = new Set(advisories);
    for (let count = random.between(3, 6); count > 0; count -= 1)
      steps.push({ round, at: random.below(ROUND_MS), ...changeAdvisories(advisories, changeable, random) });
    // Several withdrawals at once look like a loss of data, which a person has to confirm.
    if (round === withdrawal && !CALM_ROUNDS.includes(round) && advisories.length > 0) {
      const [withdrawn] = advisories.splice(random.below(advisories.length), 1);
      if (withdrawn !== undefined)
        steps.push({ round, at: ROUND_MS - 1, kind: 'withdraw', id: withdrawn.id });
    }
  }
  for (let count = 0; count < FAULTS; count += 1) {
    steps.push({
      round: random.between(FAULTY_ROUNDS.first, FAULTY_ROUNDS.last),
      at: random.below(ROUND_MS),
      ...faultOf(random, isLarge, hasOverrides),
    });
  }
  const queues = [
    ...QUEUES,
    ...(isLarge ? QUEUES_OF_LARGE : []),
    ...(hasOverrides ? [QUEUE_OF_OVERRIDES, QUEUE_OF_OVERRIDES] : []),
  ];
  for (let count = 0; count < AIMED_FAULTS; count += 1) {
    const round = random.between(FAULTY_ROUNDS.first, FAULTY_ROUNDS.last);
    steps.push({ round, at: random.below(ROUND_MS), ...aimedFaultOf(random, queues) });
  }
  // A clock that is wrong may take a scan for older than the one before it.
  const isInOrder = steps.every(({ kind }) => kind !== 'clock');
  addLate(steps, createRandom(seed ^ LATE_PACKAGES));
  addReleases(steps, createRandom(seed ^ RELEASES));
  if (isInOrder) addUnread(steps, createRandom(seed ^ MISREAD));
  const kept = steps.filter((step) => isInOrder || step.kind !== 'scan' || step.extra === undefined);
  kept.sort((left, right) => left.round - right.round || left.at - right.at);
  const shards = random.next() < SHARDED ? 2 : 1;
  const counts = { targets: TARGETS, workers: WORKERS, rounds: ROUNDS, shards };
  const last = isTimed ? kept.map(lockSuppressed) : hasOverrides ? withOverrides(kept, overrides) : kept;
  return { seed, ...counts, isLarge, isTimed, hasOverrides, steps: last };
}

/** Has many scans override the version of a package that they lock, or of one that they do not. */
export function withOverrides(steps: readonly Step[], random: Random): readonly Step[] {
  return steps.map((step) => {
    if (step.kind !== 'scan' || random.next() >= OVERRIDDEN) return step;
    const known = step.packages.flatMap(([name]) => (NAMES.includes(name) ? name : []));
    return { ...step, override: random.oneOf([...known, ABSENT]) };
  });
}

/** Has the targets of the suppression lock its package. */
function lockSuppressed(step: Step): Step {
  if (step.kind !== 'scan' || !SUPPRESSION.targets.some((one) => one === step.target)) return step;
  const { name, versions } = SUPPRESSION.advisory;
  return { ...step, packages: [[name, versions[0]], ...step.packages.slice(1)] };
}

/** What other programs ask for in a round. `locks`: what each target has locked, which changes. */
function requestsOf(
  round: number,
  locks: Map<string, Map<string, string>>,
  isLarge: boolean,
  random: Random,
): readonly Step[] {
  const steps: Step[] = [];
  for (let index = 0; index < TARGETS; index += 1) {
    const target = `target-${index}`;
    const packages = locks.get(target) ?? new Map<string, string>();
    locks.set(target, packages);
    relock(packages, random);
    const step = { round, at: random.below(ROUND_MS), target, packages: [...packages] };
    if (isLarge && SOURCES.includes(target)) steps.push({ ...step, kind: 'file' });
    else steps.push({ ...step, kind: 'scan', ...waysOf(round, random) });
  }
  if (!CALM_ROUNDS.includes(round) && random.next() < BUSY)
    steps.push(...scansOfBusy(round, locks.get(BUSY_TARGET) ?? new Map(), random));
  if (!CALM_ROUNDS.includes(round) && random.next() < RESELECTED)
    steps.push({ round, at: random.below(ROUND_MS), ...reselectionOf(locks, random) });
  if (random.next() < REFUSED)
    steps.push({ round, at: random.below(ROUND_MS), kind: 'refused', index: random.below(100) });
  if (random.next() < REFUSED && CALM_ROUNDS.includes(round))
    steps.push({ round, at: random.below(ROUND_MS), kind: 'newer' });
  return steps;
}

/** More scans of one target after its own one, so that its ledger fills a block. */
function scansOfBusy(round: number, packages: Map<string, string>, random: Random): readonly Step[] {
  return Array.from({ length: BUSY_SCANS }, (_, index) => {
    relock(packages, random);
    const at = ROUND_MS + (index + 1) * BUSY_EVERY_MS;
    return { round, at, kind: 'scan', target: BUSY_TARGET, packages: [...packages], extra: index + 1 };
  });
}

function waysOf(round: number, random: Random): Pick<Happening & { kind: 'scan' }, 'via' | 'after'> {
  // A claim that Redis has lost refuses nothing.
  const ways = CALM_ROUNDS.includes(round)
    ? (['same', 'other', 'unchanged', 'labels'] as const)
    : (['same', 'unchanged', 'labels'] as const);
  return {
    ...(random.next() < UNUSUAL ? { via: 'queue' } : {}),
    ...(random.next() < UNUSUAL ? { after: random.oneOf(ways) } : {}),
  };
}

function relock(packages: Map<string, string>, random: Random): void {
  for (let count = random.between(1, 3); count > 0; count -= 1)
    packages.set(random.oneOf(NAMES), random.oneOf(VERSIONS));
  while (packages.size < LOCKED) packages.set(random.oneOf(NAMES), random.oneOf(VERSIONS));
  while (packages.size > LOCKED) packages.delete(random.oneOf([...packages.keys()]));
}

function advisoryIdOf(random: Random): string {
  const number = (): string => String(random.below(10_000)).padStart(4, '0');
  return `GHSA-test-${number()}-${number()}`;
}

/** Of the version that most targets lock. */
function reselectionOf(locks: Map<string, Map<string, string>>, random: Random): Happening {
  const scanned = [...locks].filter(([target]) => !SOURCES.includes(target));
  const held = scanned.flatMap(([target, packages]) =>
    Array.from(packages, ([name, version]) => ({ target, name, version })),
  );
  const byVersion = Map.groupBy(held, ({ name, version }) => `${name}@${version}`);
  const [first] = [...byVersion.values()].reduce((most, own) => (own.length > most.length ? own : most), []);
  const { target, name, version } = first ?? { target: BUSY_TARGET, name: '', version: '' };
  const advisory = (): WorldAdvisory => ({ id: advisoryIdOf(random), name, versions: [version], score: 5 });
  return {
    kind: 'reselect',
    target,
    advisories: [advisory(), advisory()],
    ms: random.below(LONGEST_FAULT_MS),
  };
}

/** In some of the calm rounds, one target locks a package that the index gets soon afterwards. */
function addLate(steps: Step[], random: Random): void {
  for (const round of CALM_ROUNDS) {
    const places = steps.flatMap((step, at) => (step.kind === 'scan' && step.round === round ? [at] : []));
    const at = random.oneOf(places);
    const step = steps[at];
    if (random.next() >= LATE || step?.kind !== 'scan') continue;
    const packages = [...step.packages.slice(1), [`late-${round}`, VERSIONS[0] ?? ''] as const];
    // The refresh at the end of the round knows it.
    steps[at] = { ...step, at: step.at / 2, packages, after: 'late' };
  }
}

/** In some of the rounds, one target is released that no suppression is about. */
function addReleases(steps: Step[], random: Random): void {
  changeScans(steps, RELEASED, random, (step) => ({ ...step, at: step.at / 2, after: 'release' }));
}

/** In some of the rounds, a lockfile cannot be read: that of the scan of a target, or that of one soon after it. */
function addUnread(steps: Step[], random: Random): void {
  // While the lockfile of a target cannot be read, no withdrawal resolves what was found in it.
  const withdrawn = new Set(steps.flatMap(({ kind, round }) => (kind === 'withdraw' ? round : [])));
  changeScans(steps, UNREAD, random, (step) => {
    if (withdrawn.has(step.round)) return step;
    return random.next() < 0.5 ? { ...step, unread: true } : { ...step, after: 'unread' };
  });
}

/** Changes one scan, which is not asked for twice, in a part of the rounds. */
function changeScans(
  steps: Step[],
  part: number,
  random: Random,
  change: (step: Step & { kind: 'scan' }) => Step,
): void {
  const isChangeable = (step: Step): boolean =>
    step.kind === 'scan' &&
    step.after === undefined &&
    !SUPPRESSION.targets.some((target) => target === step.target);
  for (let round = 0; round < ROUNDS; round += 1) {
    const places = steps.flatMap((step, at) => (step.round === round && isChangeable(step) ? [at] : []));
    const at = random.oneOf(places);
    const step = steps[at];
    if (random.next() < part && step?.kind === 'scan') steps[at] = change(step);
  }
}

function changeAdvisories(
  advisories: WorldAdvisory[],
  changeable: Set<WorldAdvisory>,
  random: Random,
): Happening {
  const score = 1 + random.below(90) / 10;
  const at = random.below(advisories.length);
  const known = advisories[at];
  if (known !== undefined && changeable.delete(known) && random.next() < 0.3) {
    const advisory = { ...known, score: Math.max(score, known.score) };
    advisories[at] = advisory;
    return { kind: 'advisory', advisory };
  }
  const advisory: WorldAdvisory = {
    id: advisoryIdOf(random),
    name: random.oneOf(NAMES),
    versions: [...new Set([random.oneOf(VERSIONS), random.oneOf(VERSIONS)])],
    score,
  };
  advisories.push(advisory);
  return { kind: 'advisory', advisory };
}

/** A fault between two steps of a job, which one of its kind meets that is rare as often as others. */
function aimedFaultOf(random: Random, queues: readonly string[]): Happening {
  const write = { queue: random.oneOf(queues), writes: random.below(MOST_WRITES) };
  const ms = 500 + random.below(LONGEST_FAULT_MS);
  switch (random.below(4)) {
    case 0:
      return { kind: 'kill', worker: 0, chunks: 0, ms, write };
    case 1:
      return { kind: 'stop', worker: 0, chunks: 0, ms: random.below(LONGEST_STOP_MS), write };
    default:
      return { kind: 'lost-write', ms: 100 + random.below(3_000), write };
  }
}

function faultOf(random: Random, isLarge: boolean, hasOverrides: boolean): Happening {
  const worker = random.below(WORKERS);
  const ms = 500 + random.below(LONGEST_FAULT_MS);
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      return { kind: 'kill', worker, ms, chunks: random.below(MOST_CHUNKS) };
    case 3:
      return { kind: 'stop', worker, ms, chunks: random.below(MOST_CHUNKS) };
    case 4:
      return { kind: 'term', worker, ms };
    case 5:
      return { kind: 'cut', worker, chunks: random.below(MOST_CHUNKS), everybody: random.next() < 0.5 };
    case 6:
      return random.next() < 0.5
        ? { kind: 'freeze', ms }
        : { kind: 'clock', worker, ms, aheadMs: random.between(-20_000, 20_000) };
    case 7:
      return { kind: 'gone', ms };
    case 8:
    case 9:
      return {
        kind: 'power-loss',
        worker,
        chunks: random.below(MOST_CHUNKS),
        lostChunks: random.below(random.next() < 0.5 ? FEW_LOST_CHUNKS : MOST_LOST_CHUNKS),
        ms: 100 + random.below(3_000),
      };
    default: {
      const service = random.oneOf(isLarge ? SERVICES : SERVICES.slice(0, 2));
      // After an answer that a repetition does not change, overrides are looked up by the next scan.
      const faults = service === 'receiver' || hasOverrides ? RECEIVER_FAULTS : SERVICE_FAULTS;
      return { kind: 'service', service, fault: random.oneOf(faults), part: random.oneOf([0.3, 1]), ms };
    }
  }
}
