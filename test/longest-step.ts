import { setImmediate } from 'node:timers/promises';

/** CPU time of this thread in ms: the longest between two turns of the event loop, and that of the whole work. */
export async function longestStep<T>(work: () => Promise<T>) {
  const used = () => process.threadCpuUsage().user / 1_000;
  const began = used();
  let [longestMs, last, running] = [0, began, true];
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
  return { longestMs, wholeMs: last - began, value };
}
