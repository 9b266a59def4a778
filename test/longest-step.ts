import { setImmediate } from 'node:timers/promises';

/** The longest CPU time that this thread used between two turns of the event loop. */
export async function longestStep<T>(work: () => Promise<T>) {
  const used = () => process.threadCpuUsage().user / 1_000;
  let [longestMs, last, running] = [0, used(), true];
  const watch = async () => {
    while (running) {
      await setImmediate();
      const now = used();
      [longestMs, last] = [Math.max(longestMs, now - last), now];
    }
  };
  const watching = watch();
  const value = await work();
  running = false;
  await watching;
  return { longestMs, value };
}
