import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/load.ts';
import { interruptible, unlessAborted, untilAborted } from './program/terminal.ts';

const NOTES = `
The worker processes jobs until SIGTERM or SIGINT. Running jobs then have \`worker.shutdownGrace\` to finish; others are
returned to the queue. Any number of workers can share a Redis. Without REDIS_URL (or redis.url) the worker does not start,
because it would lose all state and repeat its alerts after a restart. --ephemeral starts it with an embedded engine, which
producers cannot reach and whose data ends with the process. Use it for tests only.

With redis.shards above 1 a worker runs the jobs of all shards. --shard 0,2 runs those of some: the workers together must run all
of them. Shard 0 also runs what is about no single target.

Exit codes: 0 stopped by a signal, 2 the worker could not start.`;

interface WorkerCommandOptions {
  readonly config?: string;
  readonly ephemeral?: boolean;
  readonly shard?: readonly number[];
  readonly serve?: boolean;
}

export function workerCommand(command: Command): void {
  command
    .option('-c, --config <file>', 'configuration file')
    .option('--ephemeral', 'run without Redis, with an embedded engine that stores nothing')
    .option('--shard <numbers>', 'run the jobs of these shards only, such as 0,2', parseShards)
    .option('--serve', 'also serve the API, metrics and readiness on one port, as `lockhound serve` does')
    .addHelpText('after', NOTES)
    .action(async (options: WorkerCommandOptions) => {
      const loaded = loadConfig({ file: options.config });
      const { closeInTurn, runWorker } = await import('../compose/worker.ts');
      const { limitHeapGrowth } = await import('../compose/heap-growth.ts');
      limitHeapGrowth();
      await interruptible(async (signal) => {
        const { shard: shards, ephemeral = false } = options;
        const serving = options.serve === true;
        const worker = await unlessAborted(signal, runWorker(loaded, { signal, ephemeral, shards, serving }));
        if (worker === undefined) return exitAfterGracePeriod();
        let server: { close(): Promise<void> } | undefined;
        try {
          if (serving) {
            const { startServe } = await import('../server/serve.ts');
            server = await startServe(loaded, { worker: worker.monitored });
          }
          await untilAborted(AbortSignal.any([signal, worker.lost]));
          if (!signal.aborted) throw worker.lost.reason;
        } finally {
          const parts = [async () => await server?.close(), worker.close];
          await closeInTurn(parts).finally(exitAfterGracePeriod);
        }
      });
    });
}

function parseShards(text: string): readonly number[] {
  const shards = text.split(',').map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  if (shards.every(Number.isInteger)) return shards;
  throw new InvalidArgumentError('numbers of shards, from 0, separated by commas');
}

/** A connection that does not close must not keep the process of a stopped worker alive. */
const GRACE_MS = 1_000;

function exitAfterGracePeriod(): void {
  setTimeout(() => process.exit(), GRACE_MS).unref();
}
