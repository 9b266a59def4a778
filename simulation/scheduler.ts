import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from './random.ts';

/** Whose work an event is: a worker, a producer or the world. What an owner that was killed still had to do is dropped. */
export interface Owner {
  readonly name: string;
  alive: boolean;
  /** Until when it is stopped (SIGSTOP), in virtual milliseconds; its events wait. */
  stoppedUntil: number;
  /** By how much its clock is ahead of the virtual time, in milliseconds. */
  clockAheadMs: number;
}

export function createOwner(name: string): Owner {
  return { name, alive: true, stoppedUntil: 0, clockAheadMs: 0 };
}

export interface Event {
  time: number;
  /** Events of the same time run in the order of their ranks, which are random. */
  rank: number;
  readonly sequence: number;
  readonly owner: Owner;
  /** Absent after it was cancelled. */
  run: (() => void) | undefined;
}

/** More events than this in one history: something runs for ever. */
const MAX_EVENTS = 5_000_000;

/**
 * Runs all work of a history: timers, immediates, and chunks of connections are events at a virtual time. Nothing waits in real time: when
 * no event is due, the time becomes that of the next one. Events of the same time run in an order that the seed decides.
 */
export class Scheduler {
  /** Virtual time in milliseconds since 1970. */
  now: number;
  readonly random: Random;
  readonly #owners = new AsyncLocalStorage<Owner>();
  readonly #world = createOwner('world');
  readonly #heap: Event[] = [];
  readonly #turn: () => Promise<void>;
  #sequence = 0;
  #executed = 0;
  #digest = 0;

  constructor(start: number, random: Random, turn: () => Promise<void>) {
    this.now = start;
    this.random = random;
    this.#turn = turn;
  }

  /** The owner of the work that runs now. */
  get owner(): Owner {
    return this.#owners.getStore() ?? this.#world;
  }

  /** A number that follows from which events ran, whose they were and when. */
  get digest(): number {
    return this.#digest;
  }

  get executed(): number {
    return this.#executed;
  }

  /** Runs a function as the work of an owner, with everything that follows from it. */
  as<Result>(owner: Owner, work: () => Result): Result {
    return this.#owners.run(owner, work);
  }

  /** Has the function run after a delay in virtual milliseconds, as work of the present owner and in its asynchronous context. */
  after(delayMs: number, run: () => void): Event {
    const inContext = AsyncLocalStorage.snapshot();
    return this.#push(this.now + Math.max(0, delayMs), () => inContext(run));
  }

  #push(time: number, run: () => void): Event {
    const event = { time, rank: this.random.next(), sequence: this.#sequence++, owner: this.owner, run };
    siftUp(this.#heap, event);
    return event;
  }

  cancel(event: Event | undefined): void {
    if (event !== undefined) event.run = undefined;
  }

  /** Resolves after a delay in virtual milliseconds. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs events until the work has ended. Throws what it throws, and an error where nothing is left that could end it. */
  async drive<Result>(work: () => Promise<Result>): Promise<Result> {
    let ended: { readonly result: Result } | { readonly error: unknown } | undefined;
    this.as(this.#world, work).then(
      (result) => {
        ended = { result };
      },
      (error: unknown) => {
        ended = { error };
      },
    );
    await this.#turn();
    while (ended === undefined) {
      const event = siftDown(this.#heap);
      if (event === undefined) throw new Error('nothing is left to do, and the history has not ended');
      if (event.run === undefined || !event.owner.alive) continue;
      if (event.owner.stoppedUntil > event.time) {
        // What waited goes on in its order: chunks of a connection may not overtake each other.
        event.rank = event.time - event.owner.stoppedUntil;
        event.time = event.owner.stoppedUntil;
        siftUp(this.#heap, event);
        continue;
      }
      this.now = Math.max(this.now, event.time);
      this.#executed += 1;
      this.#digest =
        Math.imul(this.#digest ^ Math.round(event.time * 1_000) ^ event.sequence, 0x01000193) >>> 0;
      if (this.#executed > MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events`);
      const { run } = event;
      event.run = undefined;
      run();
      await this.#turn();
    }
    if ('error' in ended) throw ended.error;
    return (ended as { readonly result: Result }).result;
  }
}

function isBefore(left: Event, right: Event): boolean {
  if (left.time !== right.time) return left.time < right.time;
  return left.rank === right.rank ? left.sequence < right.sequence : left.rank < right.rank;
}

function siftUp(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Event;
    if (isBefore(parent, event)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function siftDown(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below += 1;
    const child = heap[below] as Event;
    if (isBefore(last, child)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
