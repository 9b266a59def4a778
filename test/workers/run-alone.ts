import { pino } from 'pino';
import { type AnyJob, jobIdOf } from '../../src/jobs/job.ts';
import type { Ports } from '../../src/jobs/ports.ts';
import type { Outcomes } from '../../src/model/queue/outcome.ts';
import type { ProcessorOptions } from '../../src/workers/attempt.ts';
import { runAndSave } from '../../src/workers/run-job.ts';

/** Runs a job without its queue, and saves its outcome. `others`: the jobs that may follow. */
export async function runAlone(
  job: AnyJob,
  payload: unknown,
  outcomes: Outcomes,
  { ports = {} as Ports, others = [] }: { readonly ports?: Ports; readonly others?: readonly AnyJob[] } = {},
) {
  const log = pino({ level: 'silent' });
  const key = job.key(payload);
  const options = {
    ...{ job, limits: job.limits, ports, outcomes, log, shutdown: new AbortController().signal },
    ...{ flow: { jobs: new Map(others.map((one) => [one.name, one])) }, siblings: new Map() },
  } as unknown as ProcessorOptions;
  const parsed = { id: jobIdOf(job.name, key), key, payload, lane: undefined };
  const attempt = { parsed, log, lockLost: undefined, mayBeDone: false, isFirst: true, lastAttempt: false };
  const [saved] = await runAndSave(options, { ...attempt, wanted: undefined, stalled: false, waited: {} });
  if (saved === undefined) throw new Error(`${job.name} has no outcome`);
  return saved;
}
