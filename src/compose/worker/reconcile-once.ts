import { FlowProducer, Queue } from 'bullmq';
import type { Logger } from 'pino';
import { JOBS } from '../../jobs/catalog.ts';
import { createPass } from '../../workers/reconciler.ts';
import { orphanedDeliveries } from '../pipeline.ts';
import type { Store } from '../store.ts';

/** Makes one pass of the reconciler, as a worker does every minute: lost jobs are queued again, and lanes go on. */
export async function reconcileOnce(store: Store, log: Logger): Promise<void> {
  const options = { connection: store.redis, prefix: store.prefix, skipVersionCheck: true } as const;
  const onError = (error: Error): void => log.warn({ error: error.message }, 'queue connection');
  const producer = new FlowProducer(options).on('error', onError);
  const queues = new Map(
    JOBS.map(({ name }) => [
      name,
      new Queue(name, { ...options, skipMetasUpdate: true }).on('error', onError),
    ]),
  );
  try {
    const { outcomes, openJobs, prefix } = store;
    const flow = {
      producer,
      queues,
      prefix,
      outcomes,
      openJobs,
      jobs: new Map(JOBS.map((job) => [job.name, job])),
    };
    await createPass({ orphans: () => orphanedDeliveries(store) }, { flow, log })();
  } finally {
    await Promise.all([producer.close(), ...[...queues.values()].map((queue) => queue.close())]);
  }
}
