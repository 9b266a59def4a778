/** Entry point of the child process that runs the embedded Valkey; `valkey.ts` starts it. */
import { messageOf } from '../model/errors.ts';
import { ValkeyEngine } from './valkey-engine.ts';

/** The one message of the child to its parent. */
export type ValkeyChildMessage = { readonly port: number } | { readonly error: string };

// A Ctrl-C reaches the whole process group, but the parent still needs its queues to shut down. The channel closes
// whenever the parent ends, also by SIGKILL.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

try {
  const port = await new ValkeyEngine().listen();
  send({ port });
} catch (error) {
  send({ error: messageOf(error) });
  process.disconnect?.();
}

function send(message: ValkeyChildMessage): void {
  process.send?.(message);
}
