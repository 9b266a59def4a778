import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { createProducer, type Producer } from '../src/producer.ts';
import { createKeys } from '../src/store/keys.ts';
import type { Model } from './oracle.ts';
import { CALM_ROUNDS, freshFor, type Packages, type Step, WITHOUT_EDGES } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import { VERSIONS } from './world.ts';

export const REDIS = 'redis://redis.test:6379';
const INGEST = 'ingest-lockfiles';
const TAKEN = 'scan-exists';
const RELEASED = 'release-exists';
/** Between the id of a target and the name of its release. */
const RELEASE_MARK = '@release:';

type ScanStep = Step & { kind: 'scan' };
/** Of a target, by name. */
type Labels = Readonly<Record<string, string>>;

interface Target {
  readonly id: string;
  readonly labels: Labels;
}

/** A scan that a producer asked for. */
export interface AskedScan {
  readonly at: number;
  readonly step: ScanStep;
  /** As its producer chose it. */
  readonly id: string;
  readonly labels: Labels;
  /** When its producer knew last that Redis has it. */
  confirmedAt?: number;
  /** Whether Redis may have lost its content before its job was queued. */
  mayBeLost?: boolean;
}

/** Payloads that the queue of scans refuses, each for another reason, with the path of what is wrong. */
const REFUSED: readonly { readonly path: string; readonly data: (id: string) => unknown }[] = [
  { path: '(root)', data: () => 'no object' },
  { path: 'version', data: (id) => ({ key: id, payload: {} }) },
  { path: 'payload.target', data: (id) => ({ version: 1, key: id, payload: { scan: id } }) },
  {
    path: 'key',
    data: (id) => ({
      version: 1,
      key: `${id}-other`,
      payload: payloadOf({ id: 'target-0', labels: { name: 'target-0' } }, id, [
        { path: PATH, content: lockfileOf([]) },
      ]),
    }),
  },
  { path: 'version', data: (id) => ({ version: 0, key: id, payload: {} }) },
];

/** A payload that workers refuse. */
export interface RefusedPayload {
  readonly at: number;
  /** When its sender knew that Redis has it. */
  confirmedAt?: number;
  readonly path: string;
  readonly data: unknown;
}

interface ScansOptions {
  readonly shards: number;
  readonly isLarge: boolean;
  readonly model: Model;
  readonly scheduler: Scheduler;
}

/** What other programs ask of Lockhound: scans, in all the ways in which they can be asked for. */
export class Scans {
  readonly asked: AskedScan[] = [];
  /** Payloads that were queued to be refused, by the ids of their jobs. */
  readonly refused = new Map<string, RefusedPayload>();
  #newer = 0;
  readonly #producer: Producer;
  readonly #redis: Redis;
  readonly #shards: number;
  readonly #isLarge: boolean;
  readonly #model: Model;
  readonly #scheduler: Scheduler;

  private constructor(producer: Producer, options: ScansOptions) {
    this.#producer = producer;
    this.#redis = new Redis(REDIS);
    this.#shards = options.shards;
    this.#isLarge = options.isLarge;
    this.#model = options.model;
    this.#scheduler = options.scheduler;
  }

  static async open(options: ScansOptions): Promise<Scans> {
    return new Scans(await createProducer({ redis: REDIS, shards: options.shards }), options);
  }

  /** The last scan of a target. */
  last(target: string): AskedScan | undefined {
    return this.asked.findLast(({ step }) => step.target === target);
  }

  #lock(step: ScanStep): void {
    if (step.unread === true) this.#model.misread(step.target);
    else this.#model.lock(step.target, new Map(step.packages), isStale(step));
  }

  /** Asks for a scan, and then for it once more where the step says so. `onLate`: when the index gets the packages that it lacked. */
  async ask(step: ScanStep, onLate = () => {}): Promise<AskedScan> {
    this.#lock(step);
    const number = step.extra === undefined ? '' : `-${step.extra}`;
    const scan: AskedScan = {
      at: this.#scheduler.now,
      step,
      id: `round-${step.round}${number}`,
      labels: { name: step.target },
    };
    this.asked.push(scan);
    await this.enqueue(scan);
    if (step.after === undefined) return scan;
    await this.#scheduler.sleep(step.after === 'late' ? LATE_MS : SOON_MS);
    if (step.after === 'late') {
      // What a refresh did not find just before stays unknown while its answer is fresh.
      await this.#scheduler.sleep(freshFor(this.#scheduler.now));
      onLate();
    }
    // What is asked for last counts, so that an earlier scan is not asked for again.
    if (this.last(step.target) !== scan) return scan;
    if (step.after === 'same') await this.enqueue(scan);
    else if (step.after === 'other') await this.#askOther(scan, TAKEN);
    else if (step.after === 'release') await this.#release(scan);
    else if (step.after === 'labels')
      await this.#enqueueNew({ ...scan, labels: relabelled(scan) }, `${scan.id}-labels`);
    else
      await this.#enqueueNew(
        { ...scan, step: { ...step, unread: step.after === 'unread' } },
        `${scan.id}-${step.after}`,
      );
    return scan;
  }

  /** Asks again for a scan with what it is about under another id, if it is the last one of its target whose lockfile can be read. */
  async askAgain(scan: AskedScan): Promise<void> {
    const last = this.asked.findLast(({ step }) => step.target === scan.step.target && step.unread !== true);
    if (last === scan) await this.#enqueueNew(scan, `${scan.id}-again`);
  }

  /** Asks for a scan, or again for one that Redis may have lost. */
  async enqueue(scan: AskedScan): Promise<void> {
    const { step, id, at, labels } = scan;
    // Redis may lose the scan until it is confirmed again.
    delete scan.confirmedAt;
    if (step.via === 'queue') {
      const payload = {
        ...payloadOf({ id: step.target, labels }, id, [this.#lockfile(step)], at),
        ...releaseOf(step),
      };
      await this.#queue({ version: 1, key: id, payload }, `${id}-${step.target}`.replace(':', '-'));
    } else
      await this.#producer.enqueue({
        target: { id: step.target, labels },
        scan: id,
        requestedAt: new Date(at).toISOString(),
        lockfiles: [this.#lockfile(step)],
        ...releaseOf(step),
      });
    scan.confirmedAt = this.#scheduler.now;
  }

  /** Queues a payload that workers refuse. */
  async askWrongly(index: number): Promise<void> {
    const kind = REFUSED[index % REFUSED.length];
    const id = `refused-${index}-${this.refused.size}`;
    const data = kind?.data(id);
    const payload: RefusedPayload = { at: this.#scheduler.now, path: kind?.path ?? '', data };
    this.refused.set(id, payload);
    await this.#queue(data, id);
    payload.confirmedAt = this.#scheduler.now;
  }

  /** Queues a payload of a newer release, which has to wait for one. Then takes it back. */
  async askNewer(): Promise<void> {
    this.#newer += 1;
    const id = `refused-newer-${this.#newer}`;
    const queue = await this.#queue({ version: 2, key: id, payload: {} }, id);
    await this.#scheduler.sleep(LOOKED_MS);
    const state = await queue.getJobState(id);
    const score = await this.#redis.zscore(queue.toKey('delayed'), id);
    // BullMQ adds a counter in the last twelve bits.
    const waits = Number(score) / 4_096 - this.#scheduler.now;
    if (state !== 'delayed' || waits < 0.9 * NEWER_MS || waits > NEWER_MS)
      throw new Error(`a payload of a newer release is ${state}, for ${waits} ms`);
    await queue.remove(id);
  }

  #lockfile({ target, packages, override, unread }: ScanStep): Lockfile {
    if (this.#isLarge && target === WITHOUT_EDGES)
      return { path: 'bom.cdx.json', content: unread === true ? '{' : bomOf(packages) };
    const content = lockfileOf(packages);
    const lockfile = { path: PATH, content: unread === true ? content.slice(0, -2) : content };
    if (override === undefined) return lockfile;
    const overrides = { [override]: versionOf(override, packages) ?? VERSIONS[0] };
    return {
      ...lockfile,
      companions: [{ name: 'package.json', content: JSON.stringify({ overrides }) }],
    };
  }

  async #enqueueNew({ step, labels }: Pick<AskedScan, 'step' | 'labels'>, id: string): Promise<void> {
    const again: AskedScan = { at: this.#scheduler.now, step, id, labels };
    this.#lock(step);
    this.asked.push(again);
    await this.enqueue(again);
  }

  /** Has a release of the target with what it locks, and no other release of that name. */
  async #release({ step, id, labels }: AskedScan): Promise<void> {
    const released = { ...step, target: `${step.target}${RELEASE_MARK}${id}` };
    await this.#enqueueNew({ step: released, labels }, `${id}-release`);
    // A claim that Redis has lost refuses nothing, and a worker makes it for what another program queued.
    if (CALM_ROUNDS.includes(step.round) && step.via === undefined)
      await this.#askOther({ step: released, id: `${id}-other-release` }, RELEASED);
  }

  /** Another lockfile under the id of a scan, or for a release, is refused. */
  async #askOther({ step, id }: Pick<AskedScan, 'step' | 'id'>, expected: string): Promise<void> {
    const other = {
      target: { id: step.target },
      scan: id,
      lockfiles: [{ path: PATH, content: lockfileOf([]) }],
      ...releaseOf(step),
    };
    const code = await this.#producer.enqueue(other).then(
      () => 'none',
      (error: unknown) => (error as { readonly code?: unknown }).code,
    );
    if (code !== expected) throw new Error(`another content of scan ${id} of ${step.target}: ${code}`);
  }

  /** As a program does that knows nothing but the queue, and no shards. */
  async #queue(data: unknown, jobId: string): Promise<Queue> {
    const { prefix } = createKeys(undefined, { index: 0, count: this.#shards });
    const queue = new Queue(INGEST, { connection: this.#redis, prefix, skipMetasUpdate: true });
    queue.on('error', () => {});
    await queue.add(INGEST, data, { jobId });
    return queue;
  }
}

const PATH = 'package-lock.json';
/** A scan of the same lockfile after this time repeats the result of the last one. */
const SOON_MS = 500;
/** A scan of a lockfile with a package that the index did not have is read again after this time. */
const LATE_MS = 800;
/**
 * A worker has looked at a payload by this time. BullMQ replaces a connection that waits for jobs some seconds after Redis was lost, and the
 * worker looks at no queue for two seconds.
 */
const LOOKED_MS = 3_000;
/** A payload of a newer release is looked at again after this time. */
const NEWER_MS = 60_000;

/** Returns the fields by which a producer says that the target is a release. */
function releaseOf({ target }: Pick<ScanStep, 'target'>): { readonly release?: string } {
  const release = target.split(RELEASE_MARK)[1];
  return release === undefined ? {} : { release };
}

/** Another label than the target had. */
function relabelled({ id, labels }: AskedScan): Labels {
  return { ...labels, since: id };
}

interface Lockfile {
  readonly path: string;
  readonly content: string;
  readonly companions?: { readonly name: string; readonly content: string }[];
}

/** Whether a lockfile would stay as it is without the override: each package is required in any version, so that the newest one is selected. */
function isStale({ override, packages }: ScanStep): boolean {
  if (override === undefined) return false;
  const version = versionOf(override, packages);
  return version === undefined || version === VERSIONS.at(-1);
}

function versionOf(name: string, packages: Packages): string | undefined {
  return new Map(packages).get(name);
}

function payloadOf(target: Target, scan: string, lockfiles: readonly Lockfile[], at = 0) {
  return {
    scan,
    target,
    lockfiles,
    requestedAt: new Date(at).toISOString(),
  };
}

export function lockfileOf(packages: Packages): string {
  const dependencies = Object.fromEntries(packages.map(([name]) => [name, '*']));
  const entries = packages.map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies }, ...Object.fromEntries(entries) },
  });
}

/** A CycloneDX document, without the relations of its components. */
function bomOf(packages: Packages): string {
  const components = packages.map(([name, version]) => {
    return { type: 'library', name, version, purl: `pkg:npm/${name}@${version}` };
  });
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components });
}
