/**
 * Runs `work` with a signal that aborts on SIGINT or SIGTERM. A second SIGINT ends the process at once, as a person
 * who presses it twice expects.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted && name === 'SIGINT') process.exit(130);
    controller.abort(new DOMException(`interrupted by ${name}`, 'AbortError'));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

/** Resolves when the process is asked to end. */
export function untilAsked(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
