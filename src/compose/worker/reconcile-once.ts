import type { Logger } from 'pino';
import { JOBS } from '../../jobs/catalog.ts';
import { createPass } from '../../workers/reconciler.ts';
import { openFlow } from '../../workers/runtime.ts';
import { orphanedDeliveries } from '../pipeline.ts';
import type { Store } from '../store.ts';

/** Makes one pass of the reconciler, as a worker does every minute: lost jobs are queued again, and lanes go on. */
export async function reconcileOnce(store: Store, log: Logger): Promise<void> {
  const onError = (error: Error): void => log.warn({ error: error.message }, 'queue connection');
  const opened = { ...store, connection: store.redis };
  const { flow, close } = openFlow(JOBS, opened, onError, { skipMetasUpdate: true });
  try {
    await createPass({ orphans: () => orphanedDeliveries(store) }, { flow, log })();
  } finally {
    await close();
  }
}
