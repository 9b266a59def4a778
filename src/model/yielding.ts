import { setImmediate } from 'node:timers/promises';

/** `performance` takes a millisecond to load. */
const now = (): number => process.uptime() * 1_000;

/** Work on a long list runs for this long before it yields to other work of the process. */
const BUDGET_MS = 25;
/** Items between two checks of the elapsed time. */
const STRIDE = 250;

/** Yields to other work of the process when this work has run long enough. */
export type YieldIfDue = () => Promise<void> | undefined;

/** Call `await yieldIfDue()` regularly; it waits only when the time budget is used up. */
export function createYielder(): YieldIfDue {
  let began = now();
  return () => {
    if (now() - began < BUDGET_MS) return undefined;
    return setImmediate().then(() => {
      began = now();
    });
  };
}

/**
 * Call `await next()` before each of many pieces of work that are due at the same time: other work of the process runs
 * between two of them.
 */
export function oneByOne(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}

/** A list in slices; other work of the process runs between them. */
export async function* inSlices<Item>(list: readonly Item[], size = STRIDE): AsyncGenerator<readonly Item[]> {
  const yieldIfDue = createYielder();
  for (let at = 0; at < list.length; at += size) {
    await yieldIfDue();
    yield list.slice(at, at + size);
  }
}

/** `list.map(change)` in slices that yield to other work. */
export async function mapInSlices<Item, Changed>(
  list: readonly Item[],
  change: (item: Item, index: number) => Changed,
): Promise<Changed[]> {
  // A list that grows is copied several times.
  const changed = new Array<Changed>(list.length);
  const yieldIfDue = createYielder();
  for (let index = 0; index < list.length; index += 1) {
    if (index % STRIDE === 0) await yieldIfDue();
    changed[index] = change(list[index] as Item, index);
  }
  return changed;
}

/** The items in consecutive lists of at most `size`. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
