/** Entry of the child process that runs the embedded Valkey; `valkey.ts` starts it. */
import { messageOf } from '../model/errors.ts';
import { ValkeyEngine } from './valkey-engine.ts';

/** What the child tells its parent, once. */
export type ValkeyChildMessage = { readonly port: number } | { readonly error: string };

// The parent decides when Valkey ends: a Ctrl-C reaches the whole process group, and the parent still needs its queues
// to hand back work. The channel closes however the parent ends, SIGKILL included.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));

try {
  const port = await new ValkeyEngine().listen();
  tell({ port });
} catch (error) {
  tell({ error: messageOf(error) });
  process.disconnect?.();
}

function tell(message: ValkeyChildMessage): void {
  process.send?.(message);
}
