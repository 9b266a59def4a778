import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from './random.ts';

/** Whose work an event is: a worker, a producer or the world. What an owner that was killed still had to do is dropped. */
export interface Owner {
  readonly name: string;
  alive: boolean;
  /** Until when it is stopped (SIGSTOP), in virtual milliseconds; its events wait. */
  stoppedUntil: number;
  /** When that began. */
  stoppedSince: number;
  /** By how much its clock is ahead of the virtual time, in milliseconds. */
  clockAheadMs: number;
  /** Runs a function as the work of this owner, with everything that follows from it. */
  readonly run: <Result>(work: () => Result) => Result;
}

const owners = new AsyncLocalStorage<Owner>();

export function createOwner(name: string): Owner {
  const owner = { name, alive: true, stoppedUntil: 0, stoppedSince: 0, clockAheadMs: 0 };
  // To enter a snapshot allocates nothing, other than `AsyncLocalStorage.run`.
  return Object.assign(owner, { run: owners.run(owner as Owner, () => AsyncLocalStorage.snapshot()) });
}

export interface Event {
  time: number;
  /** Events of the same time run in the order of their ranks, which are random. */
  rank: number;
  readonly sequence: number;
  readonly owner: Owner;
  /** Absent after it was cancelled. */
  run: (() => void) | undefined;
  /** True for a timer that does not keep its process from ending. */
  isQuiet?: boolean;
}

/** More events than this in one history: something runs for ever. */
const MAX_EVENTS = 5_000_000;
/** So many events run between two looks of Node for files and sockets, which no history waits for. */
const EVENTS_A_TURN = 64;

/**
 * Runs all work of a history: timers, immediates, and chunks of connections are events at a virtual time. Nothing waits in real time: when
 * no event is due, the time becomes that of the next one. Events of the same time run in an order that the seed decides.
 */
export class Scheduler {
  /** Virtual time in milliseconds since 1970. */
  now: number;
  readonly random: Random;
  readonly #world = createOwner('world');
  readonly #heap: Event[] = [];
  readonly #soon: (run: () => void) => void;
  #sequence = 0;
  #executed = 0;
  #digest = 0;

  /** `soon`: runs functions one after the other, and between two of them all promises and callbacks of `nextTick`. */
  constructor(start: number, random: Random, soon: (run: () => void) => void) {
    this.now = start;
    this.random = random;
    this.#soon = soon;
  }

  /** The owner of the work that runs now. */
  get owner(): Owner {
    return owners.getStore() ?? this.#world;
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
    return owner.run(work);
  }

  /** Has the function run after a delay in virtual milliseconds, as work of the present owner. */
  after(delayMs: number, run: () => void): Event {
    const time = this.now + Math.max(0, delayMs);
    const event = { time, rank: this.random.next(), sequence: this.#sequence++, owner: this.owner, run };
    siftUp(this.#heap, event);
    return event;
  }

  cancel(event: Event | undefined): void {
    if (event !== undefined) event.run = undefined;
  }

  /** Stops an owner for a time (SIGSTOP). One that is stopped already goes on at the later time: what waits for it must not be overtaken. */
  stop(owner: Owner, ms: number): void {
    if (owner.stoppedUntil < this.now) owner.stoppedSince = this.now;
    owner.stoppedUntil = Math.max(owner.stoppedUntil, this.now + ms);
  }

  /** Ends an owner. What it still had to do is dropped: a timer of hours would keep all that it had until the history ends. */
  kill(owner: Owner): void {
    owner.alive = false;
    const left = this.#heap.filter((event) => event.run !== undefined && event.owner.alive);
    // A sorted list is a heap.
    left.sort((one, other) => (isBefore(one, other) ? -1 : 1));
    this.#heap.splice(0, this.#heap.length, ...left);
  }

  /** Timers of a process that keep it from ending. */
  left(whose: Owner): readonly string[] {
    return this.#heap.flatMap(({ owner, run, isQuiet, time }) =>
      owner === whose && run !== undefined && isQuiet !== true
        ? [`a timer of ${Math.round(time - this.now)} ms`]
        : [],
    );
  }

  /** Resolves after a delay in virtual milliseconds. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Runs events until the work has ended. Throws what it throws, and an error where nothing is left that could end it. */
  drive<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let hasEnded = false;
      this.as(this.#world, work)
        .then(resolve, reject)
        .finally(() => {
          hasEnded = true;
        });
      let left = 0;
      const step = (): void => {
        left -= 1;
        if (hasEnded) return;
        try {
          this.#next();
        } catch (error) {
          hasEnded = true;
          reject(error);
        }
        if (left === 0) schedule();
      };
      const schedule = (): void => {
        for (; left < EVENTS_A_TURN; left += 1) this.#soon(step);
      };
      schedule();
    });
  }

  /** Runs the next event. */
  #next(): void {
    for (;;) {
      const event = siftDown(this.#heap);
      if (event === undefined) throw new Error('nothing is left to do, and the history has not ended');
      const { run, owner } = event;
      if (run === undefined || !owner.alive) continue;
      if (owner.stoppedUntil > event.time) {
        // What waited goes on in its order, also when it waits again: chunks of a connection may not overtake each other.
        event.rank = Math.min(0, event.rank) + event.time - owner.stoppedUntil;
        event.time = owner.stoppedUntil;
        siftUp(this.#heap, event);
        continue;
      }
      this.now = Math.max(this.now, event.time);
      this.#executed += 1;
      this.#digest =
        Math.imul(this.#digest ^ Math.round(event.time * 1_000) ^ event.sequence, 0x01000193) >>> 0;
      if (this.#executed > MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events`);
      event.run = undefined;
      owner.run(run);
      return;
    }
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
