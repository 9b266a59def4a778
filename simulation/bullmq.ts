/** Stands for `bullmq` in a history. */
import { Worker as Base, type Processor, RedisConnection, type WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { watched } from './attempts.ts';
import { isRarelyStored, isStored } from './platform.ts';

export * from 'bullmq';

export class Worker extends Base {
  constructor(name: string, processor?: Processor | string | URL | null, options?: WorkerOptions) {
    super(name, typeof processor === 'function' ? watched(name, processor) : processor, options);
    renewWhileNeeded(this.lockManager as unknown as Locks);
    askWhereNeeded(this as unknown as Asking);
  }
}

/** How a worker looks for jobs, and for those whose worker died. */
interface Asking {
  moveStalledJobsToWait(): Promise<void>;
  moveToActive(...args: unknown[]): Promise<unknown>;
  nextJobFromJobData(): Promise<unknown>;
  updateDelays(): void;
  toKey(type: string): string;
}

/**
 * Asks Redis only where a queue has a job that was claimed, or one to claim. A tenth of all events were questions about jobs whose worker died
 * in idle queues, and two thirds of all claims were of queues without a job: after each job a worker asks for one more.
 */
function askWhereNeeded(worker: Asking): void {
  const { moveStalledJobsToWait: check, moveToActive: claim } = worker;
  const keys = (...types: readonly string[]): readonly string[] => types.map((type) => worker.toKey(type));
  const claimed = keys('active', 'stalled');
  const waiting = keys('wait', 'paused', 'prioritized', 'delayed');
  worker.moveStalledJobsToWait = async () => {
    if (isRarelyStored(...claimed)) await check.call(worker);
  };
  worker.moveToActive = async (...args) => {
    if (isStored(...waiting)) return await claim.apply(worker, args);
    worker.updateDelays();
    return await worker.nextJobFromJobData();
  };
}

/** What a worker of BullMQ holds the locks of its jobs with. */
interface Locks {
  readonly trackedJobs: ReadonlyMap<string, unknown>;
  lockRenewalTimer: unknown;
  startLockExtenderTimer(): void;
  trackJob(...args: unknown[]): unknown;
}

/** Has a timer for the locks of jobs only while there are some: a seventh of all events were such timers of idle workers. */
function renewWhileNeeded(locks: Locks): void {
  const { startLockExtenderTimer: start, trackJob: track } = locks;
  locks.startLockExtenderTimer = () => {
    locks.lockRenewalTimer = undefined;
    if (locks.trackedJobs.size > 0) start.call(locks);
  };
  locks.trackJob = (...args) => {
    const controller = track.apply(locks, args);
    if (locks.lockRenewalTimer === undefined) locks.startLockExtenderTimer();
    return controller;
  };
}

/** What ioredis and BullMQ read of the figures of a server. The engine writes hundreds of them for each connection. */
const FIGURES = 'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\nloading:0\r\n';

/** What a connection asks and says about itself, other than its greeting, needs no server. */
function answerGreetings(): void {
  const { prototype } = Redis;
  const send = prototype.sendCommand;
  prototype.sendCommand = function (this: Redis, command, ...rest) {
    const { name, args, resolve, promise } = command as unknown as Greeting;
    const answer =
      name === 'info' && args.length === 0
        ? FIGURES
        : name === 'client' && /^set(?:info|name)$/i.test(String(args[0]))
          ? 'OK'
          : undefined;
    if (answer === undefined) return send.call(this, command, ...rest);
    resolve(answer);
    return promise;
  };
}

interface Greeting {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly promise: Promise<unknown>;
  readonly resolve: (answer: string) => void;
}

/** A connection as BullMQ gives it its scripts: each of them is an entry and two functions of the client. */
interface Scripted {
  readonly _client: { readonly scriptsSet: Readonly<Record<string, unknown>> };
}

/** Connections share the scripts of BullMQ. Otherwise each of them makes a hundred functions. */
function shareScripts(): void {
  const prototype = RedisConnection.prototype as unknown as { loadCommands(...args: unknown[]): void };
  const load = prototype.loadCommands;
  let shared: Record<string, unknown> | undefined;
  prototype.loadCommands = function (...args) {
    const { _client: client } = this as unknown as Scripted;
    if (shared === undefined) {
      load.apply(this, args);
      shared = { ...client.scriptsSet };
      // To read it as a property would bind it to this client.
      for (const name of Object.keys(shared))
        for (const method of [name, `${name}Buffer`])
          Object.defineProperty(
            Redis.prototype,
            method,
            Object.getOwnPropertyDescriptor(client, method) ?? {},
          );
    } else Object.assign(client.scriptsSet, shared);
  };
}

answerGreetings();
shareScripts();
