import { perContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

/**
 * Packages that are judged at the same time. A package that is not known takes up to 8 requests to the service, which is asked 32 at a time: with
 * more packages the requests of one question wait for those of all others, and nothing is answered earlier.
 */
const AT_ONCE = 100;
/** A question counts as at least so many packages, and as at most so many while it runs: a large one leaves room for others. */
const [LEAST, MOST] = [10, 50];
/** Packages of one caller that wait; a question counts as at most 1,000. */
const [MAX_WAITING, MOST_WAITING] = [50_000, 1_000];
/** The time after which a server has answered that it is too slow. */
const MAX_WAIT_MS = 30_000;

interface Waiting {
  readonly questions: { readonly packages: number; readonly start: () => void }[];
  packages: number;
}

/**
 * Returns a function that runs the work of a question in its turn. Callers take turns, so that the questions of one do not delay the others
 * for long. Throws `Refusal` where too many of one caller wait (429), or one waited too long (503), and the reason of a signal that aborts before.
 */
export function createTurns() {
  const callers = new Map<string, Waiting>();
  let running = 0;
  const startNext = (): void => {
    for (const [caller, waiting] of callers) {
      const [first] = waiting.questions;
      if (first === undefined || running + sizeOf(first.packages) > AT_ONCE) return;
      running += sizeOf(first.packages);
      waiting.packages -= first.packages;
      waiting.questions.shift();
      // A caller who has more to ask comes last again.
      callers.delete(caller);
      if (waiting.questions.length > 0) callers.set(caller, waiting);
      first.start();
    }
  };
  return async <Value>(
    { caller, packages: asked, signal }: AskedQuestion,
    work: () => Promise<Value>,
  ): Promise<Value> => {
    const packages = Math.min(Math.max(asked, LEAST), MOST_WAITING);
    const waiting = callers.get(caller) ?? { questions: [], packages: 0 };
    if (waiting.packages + packages > MAX_WAITING) throw tooMany(429);
    const askedAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.questions.push({ packages, start: resolve });
    waiting.packages += packages;
    callers.set(caller, waiting);
    startNext();
    await promise;
    try {
      signal.throwIfAborted();
      if (performance.now() - askedAt > MAX_WAIT_MS) throw tooMany(503);
      return await work();
    } finally {
      running -= sizeOf(packages);
      startNext();
    }
  };
}

/** The part of `AT_ONCE` that a question takes while it runs. */
function sizeOf(packages: number): number {
  return Math.min(packages, MOST);
}

function tooMany(status: number): Refusal {
  return new Refusal(status, 'too-many-questions', 'too many questions wait: ask again later', {
    retryAfter: 5,
  });
}

interface AskedQuestion {
  /** Who asks. */
  readonly caller: string;
  readonly packages: number;
  readonly signal: AbortSignal;
}

/** The turns of a server. */
export const turnsOf = perContext(createTurns);
