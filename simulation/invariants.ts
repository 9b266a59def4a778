import { Redis } from 'ioredis';
import type { LoadedConfig } from '../src/config/load.ts';
import { jobIdOf } from '../src/jobs/job.ts';
import { scanIdOf } from '../src/model/scan/scan-id.ts';
import { createKeys } from '../src/store/keys.ts';
import { leftOver, openWork } from './audit.ts';
import { wrongRecords } from './audit-records.ts';
import { wrongRefusals } from './audit-refusals.ts';
import type { Network } from './network.ts';
import { dropRejected } from './operator.ts';
import type { LostPeriods, Model } from './oracle.ts';
import { type Plan, REFRESH_S } from './plan.ts';
import { type AskedScan, REDIS, type Scans } from './scans.ts';
import type { Scheduler } from './scheduler.ts';
import { Witness } from './witness.ts';
import type { World } from './world.ts';

/** A delivery that was refused shows it after this time, and is repeated between these times after that. */
const REFUSAL_SHOWN_MS = 500;
const RETRIED_AFTER_MS = [400, 1_600] as const;
/** Between two looks whether anything is left. */
const LOOK_MS = 2_000;
/** Without faults, the queue of an open job holds it within this time. */
const QUEUED_WITHIN_MS = 500;
/** A scan knows advisories that are older: facts are kept for two seconds. */
export const KNOWN_MS = 3_000;
/**
 * A worker whose connections broke is connected again within this time, has ended a job that Redis has lost, and has sent the delivery
 * whose turn it was.
 */
export const CONNECTED_MS = 5_000;
/** Steps with which Redis loses what it had confirmed. */
const LOSSES: ReadonlySet<string> = new Set(['power-loss', 'lost-write']);

/** Whether Redis loses what it had confirmed. */
export function losesWrites({ steps }: Plan): boolean {
  return steps.some(({ kind }) => LOSSES.has(kind));
}

/** How far a history is. */
export interface HistoryState {
  /** No fault lasts, and none has left work. */
  isCalm: boolean;
  /** A fault has happened. */
  hadFaults: boolean;
  /** From when on none has happened, in virtual milliseconds. Infinite while one may. */
  calmSince: number;
  /** The first error of a step, a worker or an invariant, which ends the history. */
  error: unknown;
}

interface InvariantsOptions {
  readonly plan: Plan;
  readonly config: LoadedConfig;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly world: World;
  readonly model: Model;
  readonly lost: LostPeriods;
  readonly state: HistoryState;
  readonly fail: (error: Error) => void;
}

/** What must be true of Redis during a history, and when nothing is left to do. */
export class Invariants {
  readonly #options: InvariantsOptions;
  readonly #witness: Witness;
  /** Jobs that were done without faults. */
  readonly #done = new Set<string>();
  #hasRestored = false;
  /** Keys that are rarely there, and what had arrived when none of them was. */
  readonly #rare = new Set<string>();
  #absentAt = -1;

  constructor(options: InvariantsOptions) {
    this.#options = options;
    this.#witness = new Witness(options.network.engine);
  }

  /** Waits until Redis holds no work any more, and has the history fail when it says something else than what happened. */
  async requireNothingLeft(scans: Scans, withinMs: number): Promise<void> {
    const { plan, config, scheduler, model, lost, state } = this.#options;
    const until = scheduler.now + withinMs;
    const [first] = this.#shards();
    await this.#untilNothing(until, () =>
      first === undefined ? [] : wrongRefusals(this.#witness, first, scans, { lost, ...state }),
    );
    await dropRejected(config);
    scans.refused.clear();
    const redis = new Redis(REDIS);
    // Each look opens stores of its own, which listen to the connection.
    redis.setMaxListeners(0);
    await this.#untilNothing(until, async () => {
      // The rest takes long, and is rarely true before.
      const open = this.#shards().flatMap((keys) => openWork(this.#witness, keys, model));
      // After lost writes, a payload is refused again that an operator has deleted.
      if (open.length > 0 && state.hadFaults && losesWrites(plan)) await dropRejected(config);
      if (open.length > 0) return open;
      return [...this.#wrongRecords(scans), ...(await leftOver(this.#witness, redis, { ...plan, model }))];
    });
    redis.disconnect();
  }

  async #untilNothing(
    until: number,
    look: () => readonly string[] | Promise<readonly string[]>,
  ): Promise<void> {
    const { scheduler, state } = this.#options;
    for (;;) {
      if (state.error !== undefined) throw state.error;
      const left = await look();
      if (left.length === 0) return;
      if (scheduler.now > until) throw new Error(left.join('\n'));
      // Not in step with schedules, each of which has some work for a moment.
      await scheduler.sleep(LOOK_MS * scheduler.random.next());
    }
  }

  #wrongRecords(scans: Scans): readonly string[] {
    const { plan, world, model, lost, state } = this.#options;
    const happened = {
      received: world.received,
      refused: world.refused,
      asked: scans.asked,
      open: model.open(),
      mayDoubt: model.mayDoubt,
      isUnread: model.isUnread,
      isKnown: model.isKnown,
      isSuppressedIn: model.isSuppressedIn,
      calmSince: state.calmSince,
      hadWrongClocks: state.hadFaults && plan.steps.some(({ kind }) => kind === 'clock'),
      lost,
      hasLostWrites: state.hadFaults && losesWrites(plan),
    };
    return this.#shards().flatMap((keys) => wrongRecords(this.#witness, keys, happened));
  }

  /** Whether Redis has one of these keys, or does not answer. */
  readonly isStored = (...keys: readonly string[]): boolean =>
    !this.#options.network.isAnswering || this.#witness.ask('EXISTS', ...keys) !== 0;

  /** Like `isStored`, for keys that are rarely there: all that were asked for before are asked for together, once for each change. */
  readonly isRarelyStored = (...keys: readonly string[]): boolean => {
    const { network } = this.#options;
    if (!network.isAnswering) return true;
    const known = this.#rare.size;
    for (const key of keys) this.#rare.add(key);
    if (this.#absentAt === network.arrivals && this.#rare.size === known) return false;
    if (this.isStored(...this.#rare)) return this.isStored(...keys);
    this.#absentAt = network.arrivals;
    return false;
  };

  /** Without faults, the record of a delivery that was refused says so soon, and when the next attempt is. */
  readonly requireRetried = (id: string): void => {
    const { scheduler, state, fail } = this.#options;
    scheduler.after(REFUSAL_SHOWN_MS, () => {
      if (!state.isCalm) return;
      const { now } = scheduler;
      const names = ['state', 'attempts', 'lastStatus', 'reason', 'nextAttemptAt'];
      const found = this.#shards().map((keys) => {
        const isOpen = this.#witness.ask('ZSCORE', keys.openDeliveries, id) !== null;
        const values = this.#witness.ask('HMGET', keys.delivery(id), ...names) as readonly string[];
        return { isOpen, values };
      });
      const { isOpen, values } = found.find((one) => one.values[0] !== null) ?? { isOpen: false, values: [] };
      const [stored, attempts, status, reason, next] = values;
      const waits = Number(next) - now;
      const isNoted = stored === 'retrying' && attempts === '1' && status === '500' && reason !== '';
      if (!isOpen || !isNoted || !(waits >= RETRIED_AFTER_MS[0] && waits <= RETRIED_AFTER_MS[1]))
        fail(new Error(`delivery ${id} was refused, and its record has ${values.join(', ')}`));
    });
  };

  /** Without faults, no job is done twice, unless it is asked for again, or a search restored the start of a schedule while that ended. */
  readonly requireOnce = (job: string): void => {
    if (!this.#options.state.isCalm || this.#hasRestored || job.startsWith('ingest-lockfiles ')) return;
    if (this.#done.has(job)) {
      if (job.startsWith('schedules ')) this.#hasRestored = true;
      else this.#options.fail(new Error(`${job} was done twice`));
    }
    this.#done.add(job);
  };

  /** Scans that Redis has taken and of which it has no record. None is known while it does not answer. */
  unrecorded(asked: readonly AskedScan[]): readonly AskedScan[] {
    if (!this.#options.network.isAnswering) return [];
    const shards = this.#shards();
    return asked.filter(({ id, step, confirmedAt }) => {
      const scan = scanIdOf(step.target, id);
      return (
        confirmedAt !== undefined &&
        shards.every((keys) => this.#witness.ask('HEXISTS', keys.scans, scan) === 0)
      );
    });
  }

  /** When a refresh of everything has begun in all shards that asks anew for all that scans know now, in virtual milliseconds. */
  refreshedAt(): number {
    const { now } = this.#options.scheduler;
    const [every, least] = [REFRESH_S.all * 1_000, now + KNOWN_MS];
    const starts = this.#shards().map(({ prefix }) =>
      Number(this.#witness.ask('ZSCORE', `${prefix}:schedules:repeat`, 'refresh-all')),
    );
    const late = starts.find((start) => start > now + every);
    if (late !== undefined) throw new Error(`the next refresh is due in ${late - now} ms`);
    return Math.max(...starts.map((start) => (start < least ? start + every : start)));
  }

  /** Without faults, Redis has the next refresh when a worker has started. */
  readonly requireScheduled = (): void => {
    const { state, fail } = this.#options;
    if (!state.isCalm) return;
    for (const { prefix } of this.#shards()) {
      const next = this.#witness.ask('ZSCORE', `${prefix}:schedules:repeat`, 'refresh-all');
      if (next === null) fail(new Error('a worker has started, and has written no schedules'));
    }
  };

  /** Looks for open jobs that no queue holds, again and again. `before`: those of the last look. */
  requireQueued(before: ReadonlySet<string> = new Set()): void {
    const { scheduler, network, state, fail } = this.#options;
    const found = new Set<string>();
    const shards = state.isCalm && network.isAnswering ? this.#shards() : [];
    for (const { openJobs, prefix } of shards) {
      const open = this.#witness.ask('HGETALL', openJobs) as readonly string[];
      for (let at = 0; at < open.length; at += 2) {
        const [id = '', text = ''] = open.slice(at, at + 2);
        const job = /"job":"([\w-]+)"/.exec(text)?.[1];
        if (this.#witness.ask('EXISTS', `${prefix}:${job}:${id}`) === 0) found.add(`${job} ${id}`);
      }
    }
    for (const job of found) if (before.has(job)) fail(new Error(`no queue holds the open job ${job}`));
    scheduler.after(QUEUED_WITHIN_MS, () => this.requireQueued(found));
  }

  #shards() {
    const count = this.#options.plan.shards;
    return Array.from({ length: count }, (_, index) => createKeys(undefined, { index, count }));
  }

  /**
   * When a receiver accepts a delivery, Redis has its record and its notification, it does not count as delivered, and its job has the turn
   * of its lane.
   */
  readonly requireDurable = (id: string, sentAt: number): void => {
    const { scheduler, network, lost, fail } = this.#options;
    if (!network.isAnswering || lost.has(sentAt, scheduler.now)) return;
    const hadTurn = lost.has(sentAt - CONNECTED_MS, scheduler.now);
    const found = this.#shards().map((keys) => {
      const [state, key = '', route, target] = this.#witness.ask(
        ...['HMGET', keys.delivery(id), 'state', 'key', 'route', 'target'],
      ) as readonly (string | null)[];
      const isStored = this.#witness.ask('EXISTS', keys.deliveryNotification(id)) === 1;
      const first = this.#witness.ask(
        ...['LINDEX', keys.lane(`deliver-notification:${route}:${target}`), '0'],
      );
      const hasTurn = hadTurn || first === jobIdOf('deliver-notification', key ?? '');
      return { state, fault: !isStored ? 'it is not stored' : hasTurn ? undefined : 'it is not its turn' };
    });
    const known = found.find(({ state }) => state !== null);
    const fault =
      known === undefined ? 'it has no record' : known.state === 'delivered' ? 'it is done' : known.fault;
    if (fault !== undefined) fail(new Error(`delivery ${id} was sent although ${fault}`));
  };
}
