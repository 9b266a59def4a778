/** Stands for `bullmq` in a history. */
import { Worker as Base, type Processor, type WorkerOptions } from 'bullmq';
import { watched } from './attempts.ts';

export * from 'bullmq';

/**
 * Seconds after which an idle worker asks for jobs although none was announced; BullMQ has 5 by default. Two thirds of the events were such
 * questions. An announcement that is lost costs so much virtual time; connections end after 30 s without an answer.
 */
const DRAIN_DELAY = 25;

export class Worker extends Base {
  constructor(name: string, processor?: Processor | string | URL | null, options?: WorkerOptions) {
    super(name, typeof processor === 'function' ? watched(name, processor) : processor, {
      drainDelay: DRAIN_DELAY,
      ...options,
    } as WorkerOptions);
  }
}
