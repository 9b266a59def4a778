import { createHash } from 'node:crypto';
import type { LoadedConfig } from '../src/config/load.ts';
import { Engine, type Image } from './engine.ts';
import { CONNECTED_MS, type HistoryState, Invariants, KNOWN_MS, losesWrites } from './invariants.ts';
import { Network } from './network.ts';
import { repairDeliveries } from './operator.ts';
import { Ledger, LostPeriods, Model, type Open } from './oracle.ts';
import {
  BOUNDS,
  CALM_ROUNDS,
  GATHERED,
  MODES,
  NAMES,
  type Packages,
  type Plan,
  ROUND_MS,
  START,
  type Step,
  SUPPRESSED,
  SUPPRESSION,
} from './plan.ts';
import { enter, soon } from './platform.ts';
import { createRandom } from './random.ts';
import { type AskedScan, lockfileOf, Scans } from './scans.ts';
import { Scheduler } from './scheduler.ts';
import { type LogLine, Workers } from './workers.ts';
import { advisoryOf, packageOf, World, type WorldAdvisory } from './world.ts';

/** After the last fault of a round, everything is told within this time. */
const SETTLED_WITHIN_MS = 3 * 60_000;
/**
 * When Redis loses that a delivery is held, and its worker then has it wait, the operator who resumes its route does not find it: it goes
 * on after 5 minutes at most (`worker.recheck.held`).
 */
const HELD_WITHIN_MS = 6 * 60_000;
/** Without faults, what a refresh finds is told within this time after its start, by the second attempt at one of its deliveries. */
const REFRESHED_WITHIN_MS = 6_000;
/** Clocks may differ by 10 seconds; after these, the next selection has the targets judged again, and what they find is told. */
const JUDGED_WITHIN_MS = 10_000 + BOUNDS.SELECTION_MS + 3_000;
/** Reminders are due each minute (`prepare.ts`), and are sent within this time, by the second attempt. */
const REMINDED_EVERY_MS = 60_000;
const REMINDED_WITHIN_MS = 6_000;
/** A round without faults takes less. */
const CALM_ROUND_MS = 70_000;
/** Without faults, what a scan finds is told within this time. */
const PROMPT_MS = 3_000;
/** Nothing is left to do within this time. A job whose lane was lost looks for its turn after 4 minutes at most, later than `SETTLED_WITHIN_MS`. */
const DONE_WITHIN_MS = 8 * 60_000;
/** Without faults: between two refreshes. */
const DONE_SOON_MS = 20_000;
/** After a clock was wrong, starts of schedules are due in time again after this time. */
const CLOCKS_RIGHT_MS = 35_000;
/** A worker records a delivery within this time after the receiver accepted it. */
const RECORDED_WITHIN_MS = 1_000;
/** A worker that has read a delivery from Redis sends it within this time. */
const SENT_WITHIN_MS = 1_000;
/** Redis loses at most the writes of this time. */
const LONGEST_LOSS_MS = 1_000;

/** Between two looks whether a round is over, and between two looks of an operator. */
const LOOK_MS = 2_000;
/** A worker that cannot write to Redis records this late that a receiver is gone. */
const STOPPED_WITHIN_MS = 30_000;

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

/** Runs a plan to its end. Never rejects. */
export async function runHistory(plan: Plan, config: LoadedConfig, log?: LogLine): Promise<Result> {
  const history = await History.create(plan, config, log);
  return await history.run();
}

class History {
  readonly #plan: Plan;
  readonly #config: LoadedConfig;
  readonly #scheduler: Scheduler;
  readonly #network: Network;
  readonly #invariants: Invariants;
  readonly #world: World;
  readonly #workers: Workers;
  readonly #model: Model;
  /** What receivers know, by the path of their route. */
  readonly #ledgers: ReadonlyMap<string, Ledger>;
  /** Periods whose writes Redis lost. */
  readonly #lost = new LostPeriods();
  readonly #trace: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #state: HistoryState = { isCalm: true, hadFaults: false, calmSince: START, error: undefined };
  /** Steps that have begun and have not ended. */
  #pending = 0;
  /** Until then workers may not have looked whether Redis has lost what they have completed, in virtual milliseconds. */
  #checkedBy = START;
  /** Deliveries that have been read. */
  #read = 0;

  private constructor(
    plan: Plan,
    config: LoadedConfig,
    log: LogLine | undefined,
    { scheduler, network, world }: { scheduler: Scheduler; network: Network; world: World },
  ) {
    this.#plan = plan;
    this.#config = config;
    this.#scheduler = scheduler;
    this.#model = new Model(() => scheduler.now);
    this.#network = network;
    this.#world = world;
    const paths = plan.isLarge ? MODES.map((mode) => `/${mode}`) : ['/hook'];
    this.#ledgers = new Map(
      paths.map((path) => [
        path,
        new Ledger({ lost: this.#lost, isGathered: GATHERED.has(path), suppressed: SUPPRESSED }),
      ]),
    );
    this.#invariants = new Invariants({
      ...{ plan, config, scheduler, network, world },
      ...{ model: this.#model, lost: this.#lost, state: this.#state, fail: this.#fail },
    });
    world.onAccepted = this.#invariants.requireDurable;
    world.onRefused = this.#invariants.requireRetried;
    this.#workers = new Workers({
      ...{ config, scheduler, network, log },
      note: (text) => this.#note(text),
      fail: this.#fail,
      ready: this.#invariants.requireScheduled,
      isCalm: () => this.#state.isCalm,
      losesWrites: losesWrites(plan),
    });
  }

  static async create(plan: Plan, config: LoadedConfig, log?: LogLine): Promise<History> {
    const random = createRandom(plan.seed ^ 0x5eed);
    const scheduler = new Scheduler(START, random, soon);
    const engine = await Engine.start(() => scheduler.now, random.fork());
    const network = new Network(scheduler, engine);
    const world = await World.create(
      [...NAMES, SUPPRESSION.advisory.name].map((name) => packageOf(name)),
      scheduler,
    );
    return new History(plan, config, log, { scheduler, network, world });
  }

  async run(): Promise<Result> {
    enter({
      scheduler: this.#scheduler,
      connect: () => this.#network.connect(),
      request: this.#world.request,
      write: this.#workers.write,
      isStored: this.#invariants.isStored,
      isRarelyStored: this.#invariants.isRarelyStored,
      done: this.#invariants.requireOnce,
      fail: this.#fail,
    });
    let failure: string | undefined;
    try {
      await this.#scheduler.drive(() => this.#live());
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      this.#note(`failed: ${failure}`);
    } finally {
      enter(undefined);
      this.#workers.drop();
    }
    this.#note(`${this.#scheduler.executed} events, ${this.#scheduler.digest}`);
    return {
      failure,
      hash: this.#hash.digest('hex'),
      changes: [...this.#ledgers.values()].reduce((sum, { changes }) => sum + changes, 0),
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
    if (this.#plan.isTimed) {
      this.#publish(SUPPRESSION.advisory);
      this.#model.suppress(SUPPRESSION.advisory.id, START + SUPPRESSION.ms);
    }
    for (const step of this.#plan.steps)
      if (step.kind === 'file' && step.round === 0) this.#writeFile(step.target, step.packages);
    for (let index = 0; index < this.#plan.workers; index += 1) this.#workers.start(index);
    const scans = await Scans.open({
      shards: this.#plan.shards,
      isLarge: this.#plan.isLarge,
      model: this.#model,
      scheduler: this.#scheduler,
    });
    this.#invariants.requireQueued();
    for (let round = 0; round < this.#plan.rounds; round += 1) {
      this.#note(`round ${round}`);
      const isCalm = CALM_ROUNDS.includes(round);
      if (isCalm && this.#state.hadFaults) await this.#recover(scans);
      if (!isCalm) this.#state.calmSince = Number.POSITIVE_INFINITY;
      else if (!this.#state.isCalm) this.#state.calmSince = this.#scheduler.now;
      this.#state.isCalm = isCalm;
      this.#state.hadFaults ||= !isCalm;
      await this.#play(round, scans);
      if (isCalm) await this.#invariants.requireNothingLeft(scans, DONE_SOON_MS);
    }
    if (!this.#state.isCalm) await this.#invariants.requireNothingLeft(scans, DONE_WITHIN_MS);
    if (this.#plan.isTimed) await this.#endSuppression(scans);
    await Promise.all(Array.from({ length: this.#plan.workers }, (_, index) => this.#requireEnd(index)));
    this.#network.close();
  }

  /** Nothing keeps a worker that is asked to end after the last round. */
  async #requireEnd(index: number): Promise<void> {
    if (!(await this.#workers.terminate(index))) throw new Error(`worker ${index} does not end in time`);
  }

  /** Waits until the suppression has ended, and the receiver must know of its findings. */
  async #endSuppression(scans: Scans): Promise<void> {
    await this.#requireReminded();
    await this.#scheduler.sleep(Math.max(0, START + SUPPRESSION.ms + JUDGED_WITHIN_MS - this.#scheduler.now));
    this.#requireTold(this.#model.open(), JUDGED_WITHIN_MS, true);
    await this.#invariants.requireNothingLeft(scans, DONE_SOON_MS);
  }

  /** Waits for the next reminder, unless the suppression ends before it. */
  async #requireReminded(): Promise<void> {
    const due = Math.ceil((this.#scheduler.now + KNOWN_MS) / REMINDED_EVERY_MS) * REMINDED_EVERY_MS;
    if (due > START + SUPPRESSION.ms) return;
    // Low ones are reminded of after an hour.
    const expected = new Map([...this.#model.open()].filter(([, severity]) => severity !== 'low'));
    await this.#scheduler.sleep(due + REMINDED_WITHIN_MS - this.#scheduler.now);
    this.#readDeliveries();
    const date = new Date(due).toISOString();
    const wrong = [...this.#ledgers.values()].flatMap((ledger) => ledger.wrongReminder(date, expected));
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  }

  async #play(round: number, scans: Scans): Promise<void> {
    const began = this.#scheduler.now;
    const { repeated } = this.#world;
    for (const step of this.#plan.steps) {
      if (step.round !== round) continue;
      this.#pending += 1;
      this.#scheduler.after(step.at, () => {
        this.#note(describe(step));
        this.#take(step, scans).then(() => {
          this.#pending -= 1;
        }, this.#fail);
      });
    }
    await this.#scheduler.sleep(ROUND_MS);
    if (this.#state.isCalm) await this.#requireRefreshed(repeated);
    const mayBeHeld = this.#mayStop && losesWrites(this.#plan);
    await this.#settle(began + (mayBeHeld ? HELD_WITHIN_MS : SETTLED_WITHIN_MS));
  }

  /** After faults, everything is again as it was before them. */
  async #recover(scans: Scans): Promise<void> {
    this.#workers.setClocks();
    // A worker with a wrong clock may have ended, and have left starts of schedules that are too late.
    if (this.#plan.steps.some(({ kind }) => kind === 'clock')) await this.#scheduler.sleep(CLOCKS_RIGHT_MS);
    else await this.#scheduler.sleep(CONNECTED_MS);
    await this.#invariants.requireNothingLeft(scans, DONE_WITHIN_MS);
    // It may not end in a round without faults: what is told in time would depend on when.
    if (this.#plan.isTimed && this.#scheduler.now > START + SUPPRESSION.ms - CALM_ROUND_MS)
      await this.#endSuppression(scans);
  }

  readonly #fail = (error: unknown): void => {
    this.#state.error ??= error;
  };

  /** Waits until receivers know what is true. */
  async #settle(until: number): Promise<void> {
    for (;;) {
      if (this.#state.error !== undefined) throw this.#state.error;
      this.#readDeliveries();
      const wrong = this.#untold(this.#model.open(), { isAll: true, isLate: true });
      if (wrong.length === 0 && this.#pending === 0) return;
      if (this.#scheduler.now > until)
        throw new Error([`${this.#pending} steps have not ended`, ...wrong].join('\n'));
      await this.#scheduler.sleep(LOOK_MS);
    }
  }

  /** `isLate`: also by routes that gather what several scans found. */
  #untold(
    expected: Open,
    { isAll, isLate }: Readonly<Record<'isAll' | 'isLate', boolean>>,
  ): readonly string[] {
    return [...this.#ledgers].flatMap(([path, ledger]) => {
      if (!isLate && GATHERED.has(path)) return [];
      const wrong = isAll ? ledger.differences(expected) : ledger.missing(expected);
      return wrong.map((one) => `${path}: ${one}`);
    });
  }

  #writeFile(target: string, packages: Packages): void {
    this.#model.lock(target, new Map(packages));
    this.#world.files.set(`/${target}/package-lock.json`, lockfileOf(packages));
  }

  #readDeliveries(): void {
    for (; this.#read < this.#world.received.length; this.#read += 1) {
      const delivery = this.#world.received[this.#read];
      if (delivery === undefined) return;
      this.#note(`delivery ${delivery.id}`);
      const ledger = this.#ledgers.get(delivery.path);
      if (ledger === undefined) throw new Error(`no route leads to ${delivery.path}`);
      ledger.read(delivery.body, delivery.at, delivery.sentAt);
    }
  }

  async #take(step: Step, scans: Scans): Promise<void> {
    switch (step.kind) {
      case 'scan': {
        const scan = await scans.ask(step, () => this.#publishLate(step));
        if (this.#state.isCalm && step.unread !== true) await this.#requirePrompt(scan);
        return;
      }
      case 'file':
        return this.#writeFile(step.target, step.packages);
      case 'refused':
        return await scans.askWrongly(step.index);
      case 'newer':
        return await scans.askNewer();
      case 'advisory':
        return this.#publish(step.advisory);
      case 'reselect': {
        const [first, second] = step.advisories;
        this.#publish(first);
        const at = { worker: 0, chunks: 0, write: { queue: 'select-targets', writes: 1 } };
        return await this.#workers.killAt(at, step.ms, async () => {
          this.#publish(second);
          await this.#scheduler.sleep(KNOWN_MS);
          const last = scans.last(step.target);
          if (last !== undefined) await scans.askAgain(last);
        });
      }
      case 'withdraw':
        this.#model.withdraw(step.id);
        this.#world.insights.withdrawAdvisory(step.id);
        return;
      case 'kill':
        return await this.#workers.killAt(step, step.ms, () => this.#askForForgotten(scans));
      case 'stop':
        await this.#workers.at(step, (_, owner) => this.#scheduler.stop(owner, step.ms));
        return await this.#scheduler.sleep(step.ms);
      case 'term':
        await this.#workers.terminate(step.worker);
        await this.#scheduler.sleep(step.ms);
        return this.#workers.start(step.worker);
      case 'clock': {
        const owner = this.#workers.owner(step.worker);
        if (owner !== undefined) owner.clockAheadMs = step.aheadMs;
        return;
      }
      case 'cut':
        return await this.#workers.atChunk(step, () =>
          this.#network.cut(step.everybody ? undefined : this.#workers.owner(step.worker)),
        );
      case 'freeze':
        return this.#network.freeze(step.ms);
      case 'power-loss':
        return await this.#losePower(step, scans);
      case 'lost-write':
        return await this.#loseWrite(step, scans);
      case 'service': {
        const end = this.#world.addFault(step.service, step.fault, step.part);
        await this.#scheduler.sleep(step.ms);
        return end();
      }
      case 'gone': {
        const end = this.#world.addFault('receiver', '410', 1);
        await this.#scheduler.sleep(step.ms);
        end();
        return await this.#repair(STOPPED_WITHIN_MS);
      }
    }
  }

  #publish(advisory: WorldAdvisory): void {
    this.#model.publish(advisory.id, advisory, this.#scheduler.now);
    this.#world.insights.learnAdvisory(advisoryOf(advisory));
  }

  /** The index gets the packages that it lacked, and each scan that begins from now on knows the advisories about them. */
  #publishLate({ packages, round, target }: Step & { kind: 'scan' }): void {
    for (const [name, version] of packages) {
      if (NAMES.includes(name)) continue;
      const advisory = {
        id: `GHSA-test-900${round}-${target.slice(-1).padStart(4, '0')}`,
        name,
        versions: [version],
        score: 9,
      };
      this.#world.insights.putPackage(packageOf(name));
      this.#model.publish(advisory.id, advisory);
      this.#world.insights.learnAdvisory(advisoryOf(advisory));
    }
  }

  /** An operator resumes what is stopped, until nothing is. Waits for a stop for `patienceMs`, also for a second one. */
  async #repair(patienceMs = 0): Promise<void> {
    const until = this.#scheduler.now + patienceMs;
    for (;;) {
      const repaired = await repairDeliveries(this.#config).catch(() => undefined);
      await this.#scheduler.sleep(LOOK_MS);
      if (repaired === 0 && this.#scheduler.now >= until) return;
    }
  }

  /** Whether a receiver is gone for some time, which stops its route. */
  get #mayStop(): boolean {
    return this.#plan.steps.some(({ kind }) => kind === 'gone');
  }

  /** Waits for the refresh that learns of all advisories so far. `repeated`: deliveries that were repeated before. */
  async #requireRefreshed(repeated: number): Promise<void> {
    const expected = this.#model.open();
    const withinMs = this.#invariants.refreshedAt() + REFRESHED_WITHIN_MS - this.#scheduler.now;
    this.#world.refuseNext(true);
    await this.#scheduler.sleep(withinMs);
    this.#world.refuseNext(false);
    this.#requireTold(expected, withinMs, true);
    const more = this.#world.repeated - repeated;
    if (more > 0) throw new Error(`${more} deliveries were repeated without a fault`);
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
    const wrong = this.#untold(expected, { isAll, isLate: false });
    if (wrong.length > 0) throw new Error(`not told within ${withinMs} ms:\n${wrong.join('\n')}`);
  }

  async #losePower(step: Step & { kind: 'power-loss' }, scans: Scans): Promise<void> {
    let before: Moment | undefined;
    await this.#workers.atChunk(step, () => {
      before = this.#moment();
    });
    const lose = (): void => this.#restart(step.ms, before);
    await this.#workers.atChunk({ ...step, chunks: step.lostChunks }, lose, LONGEST_LOSS_MS);
    await this.#askAgain(before, scans);
  }

  async #loseWrite({ ms, write }: Step & { kind: 'lost-write' }, scans: Scans): Promise<void> {
    let before: Moment | undefined;
    const sent = (): void => {
      before = this.#moment();
    };
    await this.#workers.atWrite(write, { sent, answered: () => this.#restart(ms, before) });
    await this.#askAgain(before, scans);
  }

  #moment(): Moment {
    return { image: this.#network.engine.image(), at: this.#scheduler.now };
  }

  /** Redis restarts with what it had at a moment. */
  #restart(ms: number, before: Moment | undefined): void {
    if (before === undefined) return;
    this.#note('power is lost');
    const to = this.#scheduler.now + SENT_WITHIN_MS;
    this.#lost.add({ from: this.#workers.unrecordedSince(before.at - RECORDED_WITHIN_MS), to });
    this.#checkedBy = this.#scheduler.now + ms + CONNECTED_MS;
    this.#network.restart(ms, before.image);
  }

  /**
   * A producer asks again for scans that have no record, after a worker has died soon after Redis had lost writes: that worker alone knew
   * that it had completed them.
   */
  async #askForForgotten(scans: Scans): Promise<void> {
    if (this.#scheduler.now > this.#checkedBy) return;
    await this.#scheduler.sleep(CONNECTED_MS);
    for (const scan of this.#invariants.unrecorded(scans.asked)) await scans.enqueue(scan);
  }

  /** A producer asks again for what Redis may have lost. */
  async #askAgain(before: Moment | undefined, scans: Scans): Promise<void> {
    const from = before?.at ?? Number.POSITIVE_INFINITY;
    const lost = scans.asked.filter(({ confirmedAt = Number.POSITIVE_INFINITY }) => confirmedAt > from);
    for (const scan of lost) scan.mayBeLost = true;
    for (const scan of lost) await scans.enqueue(scan);
    // A lockfile that was lost before its job was queued has its scan end with a gap, which only another scan closes.
    for (const scan of lost) await scans.askAgain(scan);
    // Redis may have lost that an operator has resumed a route.
    if (this.#mayStop) await this.#repair();
  }
}

/** What Redis held at a time. */
interface Moment {
  readonly image: Image;
  readonly at: number;
}

function describe({ round: _round, at: _at, ...happening }: Step): string {
  return JSON.stringify(happening);
}
