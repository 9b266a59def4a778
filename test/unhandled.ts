/** Runs `work`, and resolves to the reasons of the rejections that nobody handled meanwhile: each would end a worker. */
export async function unhandledDuring(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const onRejection = (reason: unknown): void => void unhandled.push(reason);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', onRejection);
  try {
    await work();
    await new Promise(setImmediate);
    return unhandled;
  } finally {
    process.off('unhandledRejection', onRejection);
    for (const one of others) process.on('unhandledRejection', one);
  }
}
