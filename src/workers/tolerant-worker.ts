import { type Job, type JobJson, Worker } from 'bullmq';
import { UnparsedData } from '../jobs/envelope.ts';
import { messageOf } from '../model/errors.ts';

/**
 * A BullMQ worker that also processes jobs whose data is not JSON, with `UnparsedData` as their data. BullMQ's worker throws
 * before the processor sees such a job, which then stalls repeatedly.
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
