import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { interruptible, untilAsked } from './signals.ts';

const NOTES = `
The worker takes jobs until it gets SIGTERM or SIGINT; running jobs then finish or are handed back within
\`worker.shutdownGrace\`. Start as many as you like over the same Redis. Without REDIS_URL (or redis.url) it refuses to
start: it would keep nothing, and alert again after each restart. With --ephemeral it runs an embedded engine of its own that no
producer can find and that keeps nothing: good for a look, not for work.`;

export function workerCommand(command: Command): void {
  command
    .option('-c, --config <file>', 'configuration file')
    .option('--ephemeral', 'run without Redis, on an embedded engine that keeps nothing')
    .addHelpText('after', NOTES)
    .action(async (options: { readonly config?: string; readonly ephemeral?: boolean }) => {
      const loaded = loadConfig(options.config === undefined ? {} : { file: options.config });
      const { runWorker } = await import('../compose/worker.ts');
      await interruptible(async (signal) => {
        const worker = await runWorker(loaded, { signal, ephemeral: options.ephemeral === true });
        try {
          await untilAsked(signal);
        } finally {
          await worker.close();
          endSoon();
        }
      });
    });
}

/** A stopped worker has nothing left to do: a connection that does not close must not keep its process. */
const LINGER_MS = 1_000;

function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
