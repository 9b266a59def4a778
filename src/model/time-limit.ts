/**
 * A limit of `limitMs` for work that `outer` may end earlier. It does not keep the process alive. `signal`: aborts with the reason of the
 * outer signal, or with a `TimeoutError`. `isOver`: whether the time was over before the outer signal aborted. `release`: removes the
 * timer and the listener. `AbortSignal.timeout` and `AbortSignal.any` keep theirs in memory until the time is over, however soon the work
 * ends.
 */
export function timeLimit(limitMs: number, outer: AbortSignal | undefined) {
  const end = new AbortController();
  let isOver = false;
  const onOver = (): void => {
    if (end.signal.aborted) return;
    isOver = true;
    end.abort(new DOMException(`not done within ${limitMs} ms`, 'TimeoutError'));
  };
  const onAbort = (): void => end.abort(outer?.reason);
  const timer = setTimeout(onOver, limitMs).unref();
  const release = (): void => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  };
  outer?.addEventListener('abort', onAbort);
  if (outer?.aborted === true) onAbort();
  const { signal }: { readonly signal: AbortSignal } = end;
  return { signal, isOver: () => isOver, release };
}

/**
 * The result of `work`, or a rejection with the signal's reason, whichever comes first. After an abort the work may
 * continue; its result is ignored.
 */
export function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const onAbort = () => reject(signal.reason);
  const free = () => signal.removeEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  work.then(
    (value) => {
      free();
      resolve(value);
    },
    (error: unknown) => {
      free();
      reject(error);
    },
  );
  return promise;
}

/**
 * Waits for `work` at most `limitMs`, and then returns what `late` returns, or throws what it throws. Default: throws an `Error`. The work
 * itself goes on.
 */
export async function within<Value, Late = never>(
  work: Promise<Value>,
  limitMs: number,
  late: () => Late = () => {
    throw new Error(`no answer within ${limitMs} ms`);
  },
): Promise<Value | Late> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    return await Promise.race([work, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns work that is awaited later, or not at all: where it fails before, that is no unhandled rejection, which ends a process. */
export function awaitedLater<Work extends Promise<unknown>>(work: Work): Work {
  work.catch(() => {});
  return work;
}
