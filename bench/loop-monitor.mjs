/** Loaded into a worker by `event-loop.ts`: on SIGUSR2 it prints the longest block of the event loop since the last signal, in ms. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on('SIGUSR2', () => {
  process.stderr.write(`longest block: ${(delays.max / 1e6).toFixed(1)}\n`);
  delays.reset();
});
