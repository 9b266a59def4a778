import { WorkerError } from './errors.ts';

interface AttemptLimits {
  /** The job's name and key, for messages. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly shutdown: AbortSignal;
  readonly lockLost: AbortSignal | undefined;
}

/**
 * Aborts with the reason why an attempt must end. `release` removes the timer and the listeners: otherwise every attempt
 * would stay in memory until its time limit.
 */
export function attemptSignal({ what, timeoutMs, shutdown, lockLost }: AttemptLimits): {
  readonly signal: AbortSignal;
  release(): void;
} {
  const end = new AbortController();
  const onShutdown = (): void => end.abort(shutdown.reason);
  const onLockLost = (): void =>
    end.abort(new WorkerError('lock-lost', `the lock of ${what} was lost; another worker may run it`));
  const timer = setTimeout(
    () => end.abort(new WorkerError('timed-out', `${what} did not finish within ${timeoutMs} ms`)),
    timeoutMs,
  );
  shutdown.addEventListener('abort', onShutdown);
  lockLost?.addEventListener('abort', onLockLost);
  if (shutdown.aborted) onShutdown();
  if (lockLost?.aborted === true) onLockLost();
  return {
    signal: end.signal,
    release() {
      clearTimeout(timer);
      shutdown.removeEventListener('abort', onShutdown);
      lockLost?.removeEventListener('abort', onLockLost);
    },
  };
}
