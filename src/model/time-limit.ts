/** A signal that also aborts when time is over. */
export interface TimeLimit {
  /** Aborts with the reason of the outer signal, or with a `TimeoutError`. */
  readonly signal: AbortSignal;
  /** Whether the time was over before the outer signal aborted. */
  isOver(): boolean;
  /**
   * Removes the timer and the listener. `AbortSignal.timeout` and `AbortSignal.any` keep theirs in memory until the time is over,
   * however soon the work ends.
   */
  release(): void;
}

/** A limit of `limitMs` for work that `outer` may end earlier. It does not keep the process alive. */
export function timeLimit(limitMs: number, outer: AbortSignal | undefined): TimeLimit {
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
  return { signal: end.signal, isOver: () => isOver, release };
}
