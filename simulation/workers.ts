import { runWorker } from '../src/compose/worker.ts';
import type { LoadedConfig } from '../src/config/load.ts';
import type { Network } from './network.ts';
import { type AtWrite, START } from './plan.ts';
import { createOwner, type Owner, type Scheduler } from './scheduler.ts';

/** A line of the log that asks for attention. */
const WARNS = /"level":"(?:warn|error|fatal)"/;
/**
 * The engine has no disk. Between two starts of a schedule a search may find none, and restores what is there. Payloads and deliveries that
 * plans have refused say so. A scan that takes up a version again, of which the service meanwhile states less, doubts the service.
 */
const EXPECTED_WARNING =
  /Redis does not write to disk|the next start of a schedule was missing|"(?:key|jobId)":"refused-|"job":"deliver-notification".*retried later \(retry\)|it may have lost data|not be read completely|lockfiles were not read|the scan is incomplete/;
/** Workers write all schedules when they start: a search that finds more than these missing so early has done it for them. */
const MISSED = /the next start of a schedule was missing/;
const MOST_MISSED = 2;
const STARTED_BY = START + 1_000;
/** A line of the log that says what only lost writes can lead to. */
const LOSS =
  /the outcome of a job was lost|a job was lost with what it reads|a place in a lane is skipped|a lost job is opened again/;
/** What is to happen while a worker works happens after this time. */
const IDLE_MS = 10_000;
/** Each job that a plan leads to runs within this time: the last ones follow from a refresh. */
const JOB_WITHIN_MS = 20_000;
/** An orchestrator starts a worker again that ended by itself after this time. */
const RESTARTED_AFTER_MS = 1_000;
/** A worker that was asked to end has this time. */
const ENDS_WITHIN_MS = 60_000;
/** One that takes longer could not close its connections in order. */
const PROMPT_END_MS = 3_000;
/** A worker that has ended has nothing more to do after this time. */
const QUIET_AFTER_MS = 1_000;

const LOST_CONNECTION = /^Connection is closed\.?$/;

/** What happens at one of the next writes that jobs of a queue send. `worker`: which one sends it. */
interface AwaitedWrite extends AtWrite {
  readonly sent: () => void;
  readonly answered: (worker: number) => void;
}

interface RunningWorker {
  readonly owner: Owner;
  readonly stop: AbortController;
  readonly running: Promise<{ close(): Promise<void> }>;
}

/** Receives each line that a worker logs. */
export type LogLine = (worker: number, line: string) => void;

interface WorkersOptions {
  readonly config: LoadedConfig;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly log: LogLine | undefined;
  readonly note: (text: string) => void;
  readonly fail: (error: unknown) => void;
  /** Called when a worker has started. */
  readonly ready: () => void;
  /** Whether no fault lasts or has left work. */
  readonly isCalm: () => boolean;
  /** Whether Redis loses writes in this history. */
  readonly losesWrites: boolean;
}

/** The worker processes of an installation, and what ends them. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers: RunningWorker[] = [];
  readonly #atWrites = new Set<AwaitedWrite>();
  #missed = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  owner(index: number): Owner | undefined {
    return this.#workers[index]?.owner;
  }

  /** The time since which a worker may not have recorded what it did: it has been stopped until after the given time. */
  unrecordedSince(at: number): number {
    const stopped = this.#workers.flatMap(({ owner: { stoppedUntil, stoppedSince } }) =>
      stoppedUntil >= at ? [stoppedSince - QUIET_AFTER_MS] : [],
    );
    return Math.min(at, ...stopped);
  }

  /** Ends what they do with their history. */
  drop(): void {
    for (const { owner } of this.#workers) owner.alive = false;
  }

  /** Sets wrong clocks right. */
  setClocks(): void {
    for (const { owner } of this.#workers) owner.clockAheadMs = 0;
  }

  /** Starts a worker, unless another fault has brought it back already. */
  start(index: number): void {
    if (this.#workers[index]?.owner.alive === true) return;
    const { config, scheduler, note, ready } = this.#options;
    const owner = createOwner(`worker-${index}`);
    const stop = new AbortController();
    note(`worker ${index} starts`);
    const running = scheduler.as(owner, () =>
      runWorker(config, {
        signal: stop.signal,
        ephemeral: false,
        log: { write: (line: string) => this.#readLog(index, line) },
      }),
    );
    this.#workers[index] = { owner, stop, running };
    running.then(ready).catch((error: unknown) => {
      if (!stop.signal.aborted) void this.#restart(index, owner, error);
    });
  }

  /** A worker that loses Redis while it starts ends with an error. */
  async #restart(index: number, owner: Owner, error: unknown): Promise<void> {
    const { scheduler, note, fail } = this.#options;
    if (!(error instanceof Error) || !LOST_CONNECTION.test(error.message)) return fail(error);
    note(`worker ${index} has ended: ${error.message}`);
    this.#kill(index);
    await scheduler.sleep(RESTARTED_AFTER_MS);
    if (this.#workers[index]?.owner === owner) this.start(index);
  }

  /** Acts when a worker has received so many more chunks from Redis, or after a time when it is idle. */
  async atChunk(
    { worker, chunks }: { readonly worker: number; readonly chunks: number },
    act: () => void,
    limitMs = IDLE_MS,
  ): Promise<void> {
    const { scheduler, network } = this.#options;
    const owner = this.owner(worker);
    await new Promise<void>((resolve) => {
      let hasActed = false;
      const once = (): void => {
        if (hasActed) return;
        hasActed = true;
        act();
        resolve();
      };
      if (owner?.alive === true) network.beforeChunk(owner, chunks, once);
      scheduler.after(limitMs, once);
    });
  }

  /** A job of a queue sends a write. Returns what happens when its worker has the answer. */
  readonly write = (queue: string, writes: number): (() => void) | undefined => {
    const { owner } = this.#options.scheduler;
    const worker = this.#workers.findIndex((one) => one.owner === owner);
    for (const one of this.#atWrites) {
      if (one.queue !== queue || one.writes !== writes) continue;
      this.#atWrites.delete(one);
      one.sent();
      return () => (owner.alive ? one.answered(worker) : undefined);
    }
    return undefined;
  };

  /** Acts when a job of a queue, of any worker, sends a write, and when it is answered; or not within a time. */
  async atWrite(
    write: AtWrite,
    act: { readonly sent?: () => void; readonly answered: (worker: number) => void },
  ): Promise<void> {
    await new Promise<void>((resolve) => {
      // Later, the round may be one without faults.
      let isOver = false;
      const one = {
        ...{ ...write, sent: act.sent ?? (() => {}) },
        answered: (worker: number) => {
          if (isOver) return;
          act.answered(worker);
          resolve();
        },
      };
      this.#atWrites.add(one);
      this.#options.scheduler.after(JOB_WITHIN_MS, () => {
        isOver = true;
        this.#atWrites.delete(one);
        resolve();
      });
    });
  }

  /** Acts at a write of a queue, on the worker that has its answer; or at a chunk of a worker. Nothing happens to one that has ended. */
  async at(
    step: { readonly worker: number; readonly chunks: number; readonly write?: AtWrite },
    act: (worker: number, owner: Owner) => void,
  ): Promise<void> {
    const before = this.owner(step.worker);
    const actOn = (worker: number): void => {
      const owner = this.owner(worker);
      if (owner?.alive === true && (step.write !== undefined || owner === before)) act(worker, owner);
    };
    if (step.write !== undefined) await this.atWrite(step.write, { answered: actOn });
    else if (before?.alive === true) await this.atChunk(step, () => actOn(step.worker));
  }

  /** Kills a worker, which starts again after a time. `then`: what happens meanwhile. */
  async killAt(
    step: Parameters<Workers['at']>[0],
    downMs: number,
    then: () => Promise<void> = async () => {},
  ): Promise<void> {
    let killed: number | undefined;
    await this.at(step, (worker) => {
      killed = worker;
      this.#kill(worker);
      this.#options.note(`worker ${worker} is killed`);
    });
    if (killed === undefined) return;
    await Promise.all([then(), this.#options.scheduler.sleep(downMs)]);
    this.start(killed);
  }

  #kill(index: number): void {
    const worker = this.#workers[index];
    if (worker === undefined) return;
    this.#options.scheduler.kill(worker.owner);
    this.#options.network.abandon(worker.owner);
  }

  /**
   * Ends a worker as SIGTERM does. One that does not end in time is killed; one that has ended may have nothing more to do. Resolves to
   * whether it ended promptly, or had ended before.
   */
  async terminate(index: number): Promise<boolean> {
    const { scheduler, network, note, fail } = this.#options;
    const worker = this.#workers[index];
    // One that ends already is asked once.
    if (worker === undefined || !worker.owner.alive || worker.stop.signal.aborted) return true;
    const { owner, stop, running } = worker;
    let isClosed = false;
    scheduler.as(owner, () => {
      stop.abort();
      void running
        .then(
          (one) => one.close(),
          // A start that is aborted rejects, also with errors of timers and requests. It has nothing to close.
          () => {},
        )
        .then(() => {
          isClosed = true;
        }, fail);
    });
    const began = scheduler.now;
    while (scheduler.now < began + ENDS_WITHIN_MS && !isClosed) await scheduler.sleep(500);
    const wasPrompt = isClosed && scheduler.now < began + PROMPT_END_MS;
    note(`worker ${index} ${isClosed ? 'has closed' : 'is killed'}`);
    if (wasPrompt && owner.alive) {
      await scheduler.sleep(QUIET_AFTER_MS);
      const left = [...network.left(owner), ...scheduler.left(owner)];
      const wasStopped = owner.stoppedUntil > scheduler.now - QUIET_AFTER_MS;
      if (left.length > 0 && owner.alive && !wasStopped)
        fail(new Error(`worker ${index} has closed, and has ${left[0]}`));
    }
    this.#kill(index);
    return wasPrompt;
  }

  #readLog(index: number, line: string): void {
    const { scheduler, log, isCalm, losesWrites, fail } = this.#options;
    log?.(index, line);
    if (MISSED.test(line) && scheduler.now < STARTED_BY && ++this.#missed > MOST_MISSED)
      fail(new Error(`worker ${index} has not written the schedules at its start`));
    if (!losesWrites && LOSS.test(line))
      fail(new Error(`worker ${index} has lost what Redis has kept: ${line}`));
    if (!isCalm() || !WARNS.test(line) || EXPECTED_WARNING.test(line)) return;
    const { job, key, msg } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    fail(new Error(`worker ${index} warns without a fault: ${job} ${key}: ${msg}`));
  }
}
