import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { interruptible, untilAborted } from './signals.ts';

const NOTES = `
The worker processes jobs until SIGTERM or SIGINT. Running jobs then have \`worker.shutdownGrace\` to finish; others are
returned to the queue. Any number of workers can share a Redis. Without REDIS_URL (or redis.url) the worker does not start,
because it would lose all state and repeat its alerts after a restart. --ephemeral starts it with an embedded engine, which
producers cannot reach and whose data ends with the process. Use it for tests only.

Exit codes: 0 stopped by a signal, 2 the worker could not start.`;

export function workerCommand(command: Command): void {
  command
    .option('-c, --config <file>', 'configuration file')
    .option('--ephemeral', 'run without Redis, with an embedded engine that stores nothing')
    .addHelpText('after', NOTES)
    .action(async (options: { readonly config?: string; readonly ephemeral?: boolean }) => {
      const loaded = loadConfig({ file: options.config });
      const { runWorker } = await import('../compose/worker.ts');
      await interruptible(async (signal) => {
        const worker = await runWorker(loaded, { signal, ephemeral: options.ephemeral === true });
        try {
          await untilAborted(signal);
        } finally {
          await worker.close();
          exitAfterGracePeriod();
        }
      });
    });
}

/** A connection that does not close must not keep the process of a stopped worker alive. */
const GRACE_MS = 1_000;

function exitAfterGracePeriod(): void {
  setTimeout(() => process.exit(), GRACE_MS).unref();
}
