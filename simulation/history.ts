import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { runWorker } from '../src/compose/worker.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import { createProducer, type Producer } from '../src/producer.ts';
import { leftOver } from './audit.ts';
import { Engine, type Image } from './engine.ts';
import { Network } from './network.ts';
import { Ledger, Model, type Open } from './oracle.ts';
import { CALM_ROUND, NAMES, type Plan, ROUND_MS, type Step } from './plan.ts';
import { enter, soon } from './platform.ts';
import { createRandom } from './random.ts';
import { createOwner, type Owner, Scheduler } from './scheduler.ts';
import { advisoryOf, packageOf, World } from './world.ts';

const REDIS = 'redis://redis.test:6379';
/** A line of the log that asks for attention. */
const WARNS = /"level":"(?:warn|error|fatal)"/;
/** The engine has no disk. Between two starts of a schedule a search may find none, and restores what is there. */
const EXPECTED_WARNING = /Redis does not write to disk|the next start of a schedule was missing/;
/** The time at which every history begins. */
const START = Date.UTC(2026, 2, 1);
/** After the last fault of a round, everything is told within this time. */
const SETTLED_WITHIN_MS = 3 * 60_000;
/** Without faults, a refresh begins after 15 seconds, and what it finds is told within this time. */
const REFRESHED_WITHIN_MS = 15_000 + 4_000;
/** Without faults, what a scan finds is told within this time. */
const PROMPT_MS = 3_000;
/** A scan knows advisories that are older: facts are kept for a second. */
const KNOWN_MS = 2_000;
/** After the last round, nothing is left to do within this time. A job whose lane was lost looks for its turn after 15 minutes at most. */
const DONE_WITHIN_MS = 20 * 60_000;
/** What is to happen while a worker works happens after this time. */
const IDLE_MS = 10_000;
/** A worker records a delivery within this time after the receiver accepted it. */
const RECORDED_WITHIN_MS = 1_000;
/** A worker that has read a delivery from Redis sends it within this time. */
const SENT_WITHIN_MS = 1_000;
/** An orchestrator starts a worker again that ended by itself after this time. */
const RESTARTED_AFTER_MS = 1_000;
/** Redis loses at most the writes of this time. */
const LONGEST_LOSS_MS = 1_000;
/** Between two looks whether a round is over. */
const LOOK_MS = 2_000;

const LOST_CONNECTION = /^Connection is closed\.?$/;

/** What came of a history. */
export interface Result {
  /** Absent when everything was told once, in order. */
  readonly failure: string | undefined;
  /** SHA-256 of everything that happened, in order. */
  readonly hash: string;
  readonly changes: number;
  readonly events: number;
  readonly virtualMs: number;
  readonly trace: readonly string[];
}

/** A scan that a producer asked for. */
interface AskedScan {
  readonly at: number;
  readonly step: Step & { kind: 'scan' };
  readonly id: string;
  /** When its producer knew that Redis has it. */
  confirmedAt?: number;
}

interface RunningWorker {
  readonly owner: Owner;
  readonly stop: AbortController;
  readonly running: Promise<{ close(): Promise<void> }>;
}

/** Receives each line that a worker logs. */
export type LogLine = (worker: number, line: string) => void;

/** Runs a plan to its end. Never rejects. */
export async function runHistory(plan: Plan, config: LoadedConfig, log?: LogLine): Promise<Result> {
  const history = await History.create(plan, config, log);
  return await history.run();
}

class History {
  readonly #plan: Plan;
  readonly #config: LoadedConfig;
  readonly #log: LogLine | undefined;
  readonly #scheduler: Scheduler;
  readonly #network: Network;
  readonly #world: World;
  readonly #model = new Model();
  readonly #ledger = new Ledger();
  readonly #workers: RunningWorker[] = [];
  readonly #trace: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #scans: AskedScan[] = [];
  /** No fault has happened yet. */
  #isCalm = true;
  /** Steps that have begun and have not ended. */
  #pending = 0;
  /** Deliveries that have been read. */
  #read = 0;
  /** The first error of a step or a worker, which ends the history. */
  #error: unknown;

  private constructor(
    plan: Plan,
    config: LoadedConfig,
    log: LogLine | undefined,
    { scheduler, network, world }: { scheduler: Scheduler; network: Network; world: World },
  ) {
    this.#plan = plan;
    this.#config = config;
    this.#log = log;
    this.#scheduler = scheduler;
    this.#network = network;
    this.#world = world;
  }

  static async create(plan: Plan, config: LoadedConfig, log?: LogLine): Promise<History> {
    const random = createRandom(plan.seed ^ 0x5eed);
    const scheduler = new Scheduler(START, random, soon);
    const engine = await Engine.start(() => scheduler.now, random.fork());
    const network = new Network(scheduler, engine);
    const world = await World.create(
      NAMES.map((name) => packageOf(name)),
      scheduler,
    );
    return new History(plan, config, log, { scheduler, network, world });
  }

  async run(): Promise<Result> {
    enter({
      scheduler: this.#scheduler,
      connect: () => this.#network.connect(),
      request: this.#world.request,
    });
    let failure: string | undefined;
    try {
      await this.#scheduler.drive(() => this.#live());
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      this.#note(`failed: ${failure}`);
    } finally {
      enter(undefined);
      for (const { owner } of this.#workers) owner.alive = false;
    }
    this.#note(`${this.#scheduler.executed} events, ${this.#scheduler.digest}`);
    return {
      failure,
      hash: this.#hash.digest('hex'),
      changes: this.#ledger.changes,
      events: this.#scheduler.executed,
      virtualMs: this.#scheduler.now - START,
      trace: this.#trace,
    };
  }

  #note(text: string): void {
    const line = `${((this.#scheduler.now - START) / 1_000).toFixed(3)} ${text}`;
    this.#trace.push(line);
    this.#hash.update(`${line}\n`);
  }

  async #live(): Promise<void> {
    for (let index = 0; index < this.#plan.workers; index += 1) this.#startWorker(index);
    const producer = await this.#openProducer();
    for (let round = 0; round < this.#plan.rounds; round += 1) {
      const began = this.#scheduler.now;
      this.#note(`round ${round}`);
      for (const step of this.#plan.steps) {
        if (step.round !== round) continue;
        this.#pending += 1;
        this.#scheduler.after(step.at, () => {
          this.#note(describe(step));
          this.#take(step, producer).then(() => {
            this.#pending -= 1;
          }, this.#fail);
        });
      }
      await this.#scheduler.sleep(ROUND_MS);
      if (round === CALM_ROUND) await this.#requireRefreshed();
      await this.#settle(began + SETTLED_WITHIN_MS);
    }
    await this.#requireNothingLeft();
    this.#network.close();
  }

  readonly #fail = (error: unknown): void => {
    this.#error ??= error;
  };

  /** Waits until receivers know what is true. */
  async #settle(until: number): Promise<void> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      this.#readDeliveries();
      const wrong = this.#ledger.differences(this.#model.open());
      if (wrong.length === 0 && this.#pending === 0) return;
      if (this.#scheduler.now > until)
        throw new Error([`${this.#pending} steps have not ended`, ...wrong].join('\n'));
      await this.#scheduler.sleep(LOOK_MS);
    }
  }

  /** Waits until Redis holds no work any more. */
  async #requireNothingLeft(): Promise<void> {
    const until = this.#scheduler.now + DONE_WITHIN_MS;
    const redis = new Redis(REDIS);
    const hasLostWrites = this.#plan.steps.some(({ kind }) => kind === 'power-loss');
    for (;;) {
      const left = await leftOver(redis, { ...this.#plan, hasLostWrites });
      if (left.length === 0) break;
      if (this.#scheduler.now > until) throw new Error(left.join('\n'));
      await this.#scheduler.sleep(LOOK_MS);
    }
    redis.disconnect();
  }

  #readDeliveries(): void {
    for (; this.#read < this.#world.received.length; this.#read += 1) {
      const delivery = this.#world.received[this.#read];
      if (delivery === undefined) return;
      this.#note(`delivery ${delivery.id}`);
      this.#ledger.read(delivery.body, delivery.at, delivery.sentAt);
    }
  }

  async #take(step: Step, producer: Producer): Promise<void> {
    switch (step.kind) {
      case 'scan':
        return await this.#scan(step, producer);
      case 'advisory': {
        const { advisory } = step;
        this.#model.publish(advisory.id, advisory, this.#scheduler.now);
        this.#world.insights.learnAdvisory(advisoryOf(advisory));
        return;
      }
      case 'withdraw':
        this.#model.withdraw(step.id);
        this.#world.insights.withdrawAdvisory(step.id);
        return;
      case 'kill':
        await this.#killAfter(step);
        await this.#scheduler.sleep(step.ms);
        this.#startWorker(step.worker);
        return;
      case 'stop': {
        const worker = this.#workers[step.worker];
        await this.#atChunk(step, IDLE_MS, () => {
          if (worker !== undefined) worker.owner.stoppedUntil = this.#scheduler.now + step.ms;
        });
        return;
      }
      case 'term':
        await this.#terminate(step.worker);
        await this.#scheduler.sleep(step.ms);
        this.#startWorker(step.worker);
        return;
      case 'clock': {
        const worker = this.#workers[step.worker];
        if (worker !== undefined) worker.owner.clockAheadMs = step.aheadMs;
        return;
      }
      case 'cut':
        return await this.#atChunk(step, IDLE_MS, () =>
          this.#network.cut(step.everybody ? undefined : this.#workers[step.worker]?.owner),
        );
      case 'freeze':
        this.#network.freeze(step.ms);
        return;
      case 'power-loss':
        return await this.#losePower(step, producer);
      case 'service': {
        const end = this.#world.addFault(step.service, step.fault, step.part);
        await this.#scheduler.sleep(step.ms);
        end();
        return;
      }
    }
  }

  async #scan(step: Step & { kind: 'scan' }, producer: Producer): Promise<void> {
    this.#model.lock(step.target, new Map(step.packages));
    const scan = { at: this.#scheduler.now, step, id: `round-${step.round}` };
    this.#scans.push(scan);
    await this.#enqueue(scan, producer);
    if (step.round === CALM_ROUND) await this.#requirePrompt(scan);
  }

  /** Waits for the refresh that learns of all advisories so far. */
  async #requireRefreshed(): Promise<void> {
    const expected = this.#model.open();
    await this.#scheduler.sleep(REFRESHED_WITHIN_MS);
    this.#requireTold(expected, REFRESHED_WITHIN_MS, true);
    const { repeated } = this.#world;
    if (repeated > 0) throw new Error(`${repeated} deliveries were repeated without a fault`);
    this.#isCalm = false;
  }

  /** Waits, and has the history fail when the receiver does not know what the scan found. */
  async #requirePrompt({ at, step: { target } }: AskedScan): Promise<void> {
    const expected = this.#model.open({ target, until: at - KNOWN_MS });
    await this.#scheduler.sleep(PROMPT_MS);
    this.#requireTold(expected, PROMPT_MS);
  }

  /** `isAll`: nothing else may be told. */
  #requireTold(expected: Open, withinMs: number, isAll = false): void {
    this.#readDeliveries();
    const wrong = isAll ? this.#ledger.differences(expected) : this.#ledger.missing(expected);
    if (wrong.length > 0) throw new Error(`not told within ${withinMs} ms:\n${wrong.join('\n')}`);
  }

  async #enqueue(scan: AskedScan, producer: Producer): Promise<void> {
    const { step, id, at } = scan;
    await producer.enqueue({
      target: { id: step.target },
      scan: id,
      requestedAt: new Date(at).toISOString(),
      lockfiles: [{ path: 'package-lock.json', content: lockfileOf(step.packages) }],
    });
    scan.confirmedAt ??= this.#scheduler.now;
  }

  /** A producer asks again for what Redis may have lost. */
  async #losePower(step: Step & { kind: 'power-loss' }, producer: Producer): Promise<void> {
    let image: Image | undefined;
    let from = 0;
    await this.#atChunk(step, IDLE_MS, () => {
      image = this.#network.engine.image();
      from = this.#scheduler.now;
    });
    await this.#atChunk({ ...step, chunks: step.lostChunks }, LONGEST_LOSS_MS, () => {
      if (image === undefined) return;
      this.#note('power is lost');
      this.#ledger.lose({ from: from - RECORDED_WITHIN_MS, to: this.#scheduler.now + SENT_WITHIN_MS });
      this.#network.restart(step.ms, image);
    });
    const lost = this.#scans.filter(({ confirmedAt = Number.POSITIVE_INFINITY }) => confirmedAt > from);
    for (const scan of lost) await this.#enqueue(scan, producer);
    // A lockfile that was lost before its job was queued has its scan end with a gap, which only another scan closes.
    for (const scan of lost) {
      const { target } = scan.step;
      if (this.#scans.findLast(({ step }) => step.target === target) !== scan) continue;
      const again: AskedScan = { at: this.#scheduler.now, step: scan.step, id: `${scan.id}-again` };
      this.#scans.push(again);
      await this.#enqueue(again, producer);
    }
  }

  /** Starts a worker, unless another fault has brought it back already. */
  #startWorker(index: number): void {
    if (this.#workers[index]?.owner.alive === true) return;
    const owner = createOwner(`worker-${index}`);
    const stop = new AbortController();
    this.#note(`worker ${index} starts`);
    const running = this.#scheduler.as(owner, () =>
      runWorker(this.#config, {
        signal: stop.signal,
        ephemeral: false,
        log: { write: (line: string) => this.#readLog(index, line) },
      }),
    );
    this.#workers[index] = { owner, stop, running };
    running.catch((error: unknown) => this.#restart(index, owner, error));
  }

  /** A worker that loses Redis while it starts ends with an error. */
  async #restart(index: number, owner: Owner, error: unknown): Promise<void> {
    if (!(error instanceof Error) || !LOST_CONNECTION.test(error.message)) return this.#fail(error);
    this.#note(`worker ${index} has ended: ${error.message}`);
    this.#kill(index);
    await this.#scheduler.sleep(RESTARTED_AFTER_MS);
    if (this.#workers[index]?.owner === owner) this.#startWorker(index);
  }

  /** Acts when a worker has received so many more chunks from Redis, or after a time when it is idle. */
  async #atChunk(
    { worker, chunks }: { readonly worker: number; readonly chunks: number },
    limitMs: number,
    act: () => void,
  ): Promise<void> {
    const owner = this.#workers[worker]?.owner;
    await new Promise<void>((resolve) => {
      let hasActed = false;
      const once = (): void => {
        if (hasActed) return;
        hasActed = true;
        act();
        resolve();
      };
      if (owner?.alive === true) this.#network.beforeChunk(owner, chunks, once);
      this.#scheduler.after(limitMs, once);
    });
  }

  async #killAfter(step: Step & { kind: 'kill' }): Promise<void> {
    const owner = this.#workers[step.worker]?.owner;
    if (owner?.alive !== true) return;
    await this.#atChunk(step, IDLE_MS, () => {
      // Another fault may have ended it.
      if (!owner.alive || owner !== this.#workers[step.worker]?.owner) return;
      this.#kill(step.worker);
      this.#note(`worker ${step.worker} is killed`);
    });
  }

  #readLog(index: number, line: string): void {
    this.#log?.(index, line);
    if (!this.#isCalm || !WARNS.test(line) || EXPECTED_WARNING.test(line)) return;
    const { job, key, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    this.#fail(new Error(`worker ${index} warns without a fault: ${job} ${key}: ${msg}`));
  }

  #kill(index: number): void {
    const worker = this.#workers[index];
    if (worker === undefined) return;
    worker.owner.alive = false;
    this.#network.abandon(worker.owner);
  }

  /** Ends a worker as SIGTERM does. One that does not end in time is killed. */
  async #terminate(index: number): Promise<void> {
    const worker = this.#workers[index];
    if (worker === undefined || !worker.owner.alive) return;
    let isClosed = false;
    this.#scheduler.as(worker.owner, () => {
      worker.stop.abort();
      void worker.running
        .then((one) => one.close())
        .then(() => {
          isClosed = true;
        }, this.#fail);
    });
    for (let waited = 0; waited < 60_000 && !isClosed; waited += 500) await this.#scheduler.sleep(500);
    this.#note(`worker ${index} ${isClosed ? 'has closed' : 'is killed'}`);
    this.#kill(index);
  }

  async #openProducer(): Promise<Producer> {
    return await createProducer({ redis: REDIS, shards: this.#plan.shards });
  }
}

function describe({ round: _round, at: _at, ...happening }: Step): string {
  return JSON.stringify(happening);
}

function lockfileOf(packages: readonly (readonly [string, string])[]): string {
  const dependencies = Object.fromEntries(packages.map(([name]) => [name, '*']));
  const entries = packages.map(([name, version]) => [`node_modules/${name}`, { version }]);
  return JSON.stringify({
    lockfileVersion: 3,
    packages: { '': { dependencies }, ...Object.fromEntries(entries) },
  });
}
