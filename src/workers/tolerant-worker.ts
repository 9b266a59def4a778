import { type Job, type JobJson, Worker } from 'bullmq';
import { UnparsedData } from '../jobs/envelope.ts';
import { messageOf } from '../model/errors.ts';

/**
 * A BullMQ worker that takes up a job whose data is not JSON, too, with `UnparsedData` as its data. BullMQ's own throws
 * before the processor sees the job, which then stays active until it counts as stalled, and again after that.
 */
export class TolerantWorker extends Worker {
  protected override createJob(json: JobJson, jobId: string): Job {
    try {
      return super.createJob(json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const job = super.createJob({ ...json, data: '{}' }, jobId);
      job.data = new UnparsedData(json.data, messageOf(error));
      return job;
    }
  }
}
