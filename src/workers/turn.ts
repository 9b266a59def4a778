import type { LanePlace } from '../model/lane.ts';
import type { OpenedJob, ProcessorOptions } from './attempt.ts';
import { WorkerError } from './errors.ts';
import { revive, wake } from './wake.ts';

/**
 * Returns when it is the job's turn in its lane, or when it has an outcome that only has to be acted on. Throws
 * `WorkerError`: `not-its-turn`, or `turn-over` when the job was given up before. `looks`: how often it came this far.
 */
export async function takeTurn(
  options: ProcessorOptions,
  { key, payload, place }: OpenedJob,
  looks: number,
): Promise<void> {
  if (place === undefined) return;
  const { job, lanes, outcomes, flow, ports } = options;
  const turn = await lanes.turn(place);
  if (turn.kind === 'first' || (await outcomes.read(job.name, key)) !== undefined) return;
  if (turn.kind === 'absent') {
    throw new WorkerError('turn-over', `${job.name} "${key}" was given up before`);
  }
  await job.whileWaiting?.(payload as never, ports);
  // Not woken, but here again by itself: whoever is waited for should be at work.
  if (looks > 1) await revive(flow.queues.get(job.name), turn.first);
  throw new WorkerError('not-its-turn', `${job.name} "${key}" waits for another one of ${place.lane}`);
}

/** Leaves the lane and wakes whoever is next. */
export async function passOn(options: ProcessorOptions, place: LanePlace | undefined): Promise<void> {
  if (place === undefined) return;
  const next = await options.lanes.leave(place);
  if (next !== undefined) await wake(options.flow.queues.get(options.job.name), next);
}

/**
 * To be called when a job has been put off. Its turn may have come while it was: whoever woke the next one found it still
 * at work.
 */
export async function lookAgain(options: ProcessorOptions, place: LanePlace | undefined): Promise<void> {
  if (place === undefined || (await options.lanes.turn(place)).kind !== 'first') return;
  await wake(options.flow.queues.get(options.job.name), place.id);
}
