import crypto from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import perfHooks from 'node:perf_hooks';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import zlib from 'node:zlib';
import type { Event, Scheduler } from './scheduler.ts';

const real = {
  Date,
  setImmediate: globalThis.setImmediate,
  now: performance.now.bind(performance),
  cpuUsage: process.cpuUsage.bind(process),
  console: { ...console },
};

/** Runs the function when all promises and `nextTick` callbacks of the present one have run. */
export function soon(run: () => void): void {
  real.setImmediate(run);
}

/** Milliseconds of the real clock, to measure histories. */
export const realNow = real.now;

/** Milliseconds of processor time that this process has used. */
export function processorMs(): number {
  const { user, system } = real.cpuUsage();
  return (user + system) / 1_000;
}

/** Opens the connection of a client to a simulated host. */
export type Connect = (options: { readonly host?: string; readonly port?: number }) => net.Socket;

/** A request as the HTTP client makes it. */
export interface Asked {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { arrayBuffer(): Promise<ArrayBufferLike>; [Symbol.asyncIterator](): AsyncIterator<Buffer> };
}

/** What replaces the platform for one history. */
export interface Platform {
  readonly scheduler: Scheduler;
  readonly connect: Connect;
  readonly request: (asked: Asked) => Promise<Answered>;
  /** A job of this queue, of the present owner, sends a write to Redis after so many others. Returns what happens when it has the answer. */
  readonly write: (queue: string, writes: number) => (() => void) | undefined;
  /** Whether Redis has one of these keys, or does not answer. No event is needed to know it. */
  readonly isStored: (...keys: readonly string[]) => boolean;
  /** The same for keys that are rarely there. */
  readonly isRarelyStored: (...keys: readonly string[]) => boolean;
  /** A job of the present owner is done. */
  readonly done: (job: string) => void;
  /** Ends the history with this error. */
  readonly fail: (error: Error) => void;
}

/** Frames of a stack outside of histories. */
const STACK_FRAMES = 10;

let platform: Platform | undefined;

function current(): Platform {
  if (platform === undefined) throw new Error('no history runs');
  return platform;
}

/** The function that answers HTTP requests. */
export function requestOf(): Platform['request'] {
  return current().request;
}

/** A job sends a write. */
export function writeSent(queue: string, writes: number): (() => void) | undefined {
  return platform?.write(queue, writes);
}

/** Whether Redis has one of these keys, or does not answer. */
export function isStored(...keys: readonly string[]): boolean {
  return platform?.isStored(...keys) ?? false;
}

/** The same for keys that are rarely there. */
export function isRarelyStored(...keys: readonly string[]): boolean {
  return platform?.isRarelyStored(...keys) ?? false;
}

/** A job is done. */
export function jobDone(job: string): void {
  platform?.done(job);
}

/** Ends the history, if one runs. */
export function reportFault(error: Error): void {
  platform?.fail(error);
}

/** Has all replaced functions of the platform act in a history from now on. `undefined`: none runs any more. */
export function enter(next: Platform | undefined): void {
  platform = next;
  // BullMQ stores stacks, whose length is not the same in each release of Node.
  Error.stackTraceLimit = next === undefined ? STACK_FRAMES : 0;
  // A worker that was killed does not give the console back.
  if (next === undefined) Object.assign(console, real.console);
}

/** A timer of a history. */
class VirtualTimer {
  #event: Event | undefined;
  #isQuiet = false;
  readonly #delayMs: number;
  readonly #run: () => void;

  constructor(delayMs: number, run: () => void) {
    this.#delayMs = delayMs;
    this.#run = run;
    this.refresh();
  }

  refresh(): this {
    this.close();
    this.#event = current().scheduler.after(this.#delayMs, this.#run);
    this.#event.isQuiet = this.#isQuiet;
    return this;
  }

  close(): this {
    platform?.scheduler.cancel(this.#event);
    this.#event = undefined;
    return this;
  }

  ref(): this {
    return this.#setQuiet(false);
  }

  unref(): this {
    return this.#setQuiet(true);
  }

  #setQuiet(isQuiet: boolean): this {
    this.#isQuiet = isQuiet;
    if (this.#event !== undefined) this.#event.isQuiet = isQuiet;
    return this;
  }

  hasRef(): boolean {
    return !this.#isQuiet;
  }

  [Symbol.toPrimitive](): number {
    return 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

type Callback = (...args: unknown[]) => void;

/** Delays of timers, as Node reads them. */
function delayOf(delay: unknown): number {
  const ms = Number(delay);
  return ms >= 1 && ms <= 2_147_483_647 ? Math.trunc(ms) : 1;
}

const setTimer = (run: Callback, delay?: number, ...args: unknown[]) =>
  new VirtualTimer(delayOf(delay), () => run(...args));

const setEvery = (run: Callback, delay?: number, ...args: unknown[]) => {
  const timer: VirtualTimer = new VirtualTimer(delayOf(delay), () => {
    timer.refresh();
    run(...args);
  });
  return timer;
};

const setSoon = (run: Callback, ...args: unknown[]) => new VirtualTimer(0, () => run(...args));

const clear = (timer: unknown): void => {
  if (timer instanceof VirtualTimer) timer.close();
};

interface SleepOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function sleepUntil<Value>(ms: number, value: Value, { signal, ref }: SleepOptions = {}): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      timer.close();
      const error = new Error('The operation was aborted', { cause: signal?.reason });
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    const timer = new VirtualTimer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (ref === false) timer.unref();
    if (signal?.aborted === true) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The time of the owner of the work that runs now, whose clock may be wrong. */
function clock(): number {
  const { scheduler } = current();
  return Math.floor(scheduler.now + scheduler.owner.clockAheadMs);
}

class VirtualDate extends real.Date {
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [platform === undefined ? real.Date.now() : clock()] : args) as [number]));
  }

  static override now(): number {
    return platform === undefined ? real.Date.now() : clock();
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]';
  }
}

/** Milliseconds of a monotonic clock, which steps of the wall clock do not move. */
const monotonic = (): number =>
  platform === undefined ? real.now() : platform.scheduler.now - START_OF_TIME;

/** Monotonic time counts from here. */
const START_OF_TIME = real.Date.UTC(2026, 0, 1);

/** Figures of the process, which no history may depend on. */
const MEMORY = 100 * 1_048_576;

/**
 * Replaces time, randomness, connections and asynchronous compression for everything that is loaded afterwards. Until a history is
 * entered, dates and clocks are real.
 */
export function replacePlatform(): void {
  const replaced = { setTimeout: setTimer, setInterval: setEvery, setImmediate: setSoon };
  const cleared = { clearTimeout: clear, clearInterval: clear, clearImmediate: clear };
  Object.assign(globalThis, replaced, cleared, { Date: VirtualDate });
  Object.assign(timers, replaced, cleared);
  Object.assign(timersPromises, {
    setTimeout: (ms = 1, value?: unknown, options?: SleepOptions) => sleepUntil(delayOf(ms), value, options),
    setImmediate: (value?: unknown, options?: SleepOptions) => sleepUntil(0, value, options),
  });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const late = () => controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
    setTimer(late, ms).unref();
    return controller.signal;
  };
  replaceClocks();
  replaceRandomness();
  replaceHashes();
  Object.assign(diagnostics, { channel: () => SILENT });
  const connect = (...args: readonly unknown[]) => current().connect(args[0] as Parameters<Connect>[0]);
  Object.assign(net, { connect, createConnection: connect });
  for (const name of ['zstdCompress', 'zstdDecompress', 'gunzip', 'gzip'] as const) replaceCompression(name);
  syncBuiltinESMExports();
}

/** Nobody reads what a process measures of itself; the subscriptions of a worker that was killed would never end. */
const SILENT = {
  hasSubscribers: false,
  subscribe: () => {},
  unsubscribe: () => true,
  publish: () => {},
};

function replaceClocks(): void {
  Object.defineProperty(performance, 'now', { value: monotonic });
  Object.assign(process, {
    uptime: () => monotonic() / 1_000,
    hrtime: Object.assign(
      (before: readonly [number, number] = [0, 0]) => {
        const ms = monotonic() - (before[0] * 1_000 + before[1] / 1e6);
        return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
      },
      { bigint: () => BigInt(Math.round(monotonic() * 1e6)) },
    ),
    memoryUsage: Object.assign(() => ({ rss: MEMORY, heapUsed: MEMORY, heapTotal: MEMORY }), {
      rss: () => MEMORY,
    }),
    cpuUsage: () => ({ user: 0, system: 0 }),
  });
  Object.defineProperty(performance, 'eventLoopUtilization', { value: () => ({ utilization: 0 }) });
  Object.assign(perfHooks, {
    monitorEventLoopDelay: () => ({ enable() {}, disable() {}, reset() {}, percentile: () => 0 }),
  });
  // The length of what is sent decides where chunks are split.
  Object.assign(os, { hostname: () => 'simulated' });
  Object.defineProperty(process, 'pid', { value: 1 });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.0.0' } });
}

function replaceRandomness(): void {
  const next = (): number => (platform === undefined ? 0.5 : platform.scheduler.random.next());
  Math.random = next;
  const fill = (bytes: Uint8Array): Uint8Array => bytes.map(() => Math.floor(next() * 256));
  const randomUUID = () => {
    const bytes = fill(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  };
  const getRandomValues = <Values extends Uint8Array>(values: Values): Values => {
    values.set(fill(values));
    return values;
  };
  const randomBytes = (size: number): Buffer => Buffer.from(fill(new Uint8Array(size)));
  for (const [name, value] of Object.entries({ randomUUID, randomFillSync: getRandomValues, randomBytes }))
    Object.defineProperty(crypto, name, { value });
  Object.defineProperty(globalThis, 'crypto', {
    value: { ...globalThis.crypto, randomUUID, getRandomValues },
  });
}

/** Every connection of ioredis computes the SHA-1 of all scripts of BullMQ, which is a tenth of the start of a worker. */
function replaceHashes(): void {
  const create = crypto.createHash;
  const digests = new Map<string, string>();
  const digestOf = (script: string): string => {
    const known = digests.get(script) ?? create('sha1').update(script).digest('hex');
    digests.set(script, known);
    return known;
  };
  const ofScripts = { update: (script: string) => ({ digest: () => digestOf(script) }) };
  Object.assign(crypto, {
    createHash: (algorithm: string, options?: crypto.HashOptions) =>
      algorithm === 'sha1' ? ofScripts : create(algorithm, options),
  });
}

/** Compresses in the calling thread: when the thread pool is done depends on the machine. */
function replaceCompression(name: 'zstdCompress' | 'zstdDecompress' | 'gunzip' | 'gzip'): void {
  const inThread = zlib[`${name}Sync`] as (content: unknown, options: unknown) => Buffer;
  Object.assign(zlib, {
    [name]: (content: unknown, ...rest: unknown[]) => {
      const done = rest.pop() as (error: unknown, result?: Buffer) => void;
      process.nextTick(() => {
        try {
          done(null, inThread(content, rest[0] ?? {}));
        } catch (error) {
          done(error);
        }
      });
    },
  });
}
