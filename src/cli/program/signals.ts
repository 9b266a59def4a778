const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGINT: 2, SIGTERM: 15 };

/** The reason of an abort by a signal. */
export class Interruption extends Error {
  /** 128 and the number of the signal, as in shells. */
  readonly exitCode: number;

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
    this.name = 'AbortError';
    this.exitCode = 128 + (SIGNAL_NUMBERS[signal] ?? 0);
  }
}

/**
 * Runs `work` with a signal that aborts on SIGINT or SIGTERM. A second SIGINT ends the process immediately.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted && name === 'SIGINT') process.exit(130);
    controller.abort(new Interruption(name));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Timers and requests reject with errors of their own when the signal aborts.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** What a start returns; `undefined` when it failed because the signal aborted meanwhile. */
export async function unlessAborted<T>(signal: AbortSignal, start: Promise<T>): Promise<T | undefined> {
  try {
    return await start;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
