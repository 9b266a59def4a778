import { AsyncLocalStorage } from 'node:async_hooks';
import type { Processor } from 'bullmq';
import { Redis } from 'ioredis';
import { jobDone, reportFault, writeSent } from './platform.ts';

/** What a worker does for one job, from its claim to its end. Calls that follow from it belong to it; those of timers do not. */
interface Attempt {
  readonly queue: string;
  readonly what: string;
  /** Names of commands that Redis has not answered. */
  readonly pending: Map<object, string>;
  end: 'done' | 'failed' | undefined;
  /** Writes that it has sent, without its first script, which only reads what is known of the job. */
  writes: number;
}

interface Command {
  readonly name: string;
  readonly promise: Promise<unknown>;
}

/** Commands that change nothing: a pass that has found enough does not wait for what it has asked for ahead. */
const READS =
  /^(?:get|mget|exists|h(?:get|mget|getall|len|scan|exists|keys)|s(?:card|scan|members)|z(?:card|count|score|r.*))(?:buffer)?$/i;

/** The queue of starts of schedules, which begin with their writes. */
const SCHEDULES = 'schedules';

const attempts = new AsyncLocalStorage<Attempt>();

/**
 * Runs jobs so that work which nobody waits for is an error: when a job has ended, its worker may die, and what was still to do would be
 * lost. Ends the history for a command that was under way when its job ended, or that a job which is done has sent.
 */
export function watched(queue: string, process: Processor): Processor {
  watchCommands();
  return (job, token, signal) => {
    const attempt: Attempt = {
      queue,
      what: `${queue} ${job.id}`,
      pending: new Map(),
      end: undefined,
      writes: queue === SCHEDULES ? 0 : -1,
    };
    const end = (how: 'done' | 'failed', error?: unknown): void => {
      attempt.end = how;
      // What an attempt that is aborted still does is not saved, and of what fails together one is first.
      if (how === 'failed' && (signal?.aborted === true || !isOrderly(error))) return;
      const [command] = attempt.pending.values();
      if (command !== undefined)
        reportFault(new Error(`${attempt.what} did not wait for its command ${command}`));
    };
    return attempts.run(attempt, async () => {
      try {
        const result: unknown = await process(job, token, signal);
        end('done');
        // Each shard has jobs of its own.
        jobDone(`${attempt.what} of ${job.queueQualifiedName}`);
        return result;
      } catch (error) {
        end('failed', error);
        throw error;
      }
    });
  };
}

/** Whether the worker has decided what follows a failure. */
function isOrderly(error: unknown): boolean {
  return error instanceof Error && ('delayMs' in error || ORDERLY.has(error.name));
}

/** Errors by which a processor says that its job waits, or that it has failed. */
const ORDERLY: ReadonlySet<string> = new Set(['DelayedError', 'UnrecoverableError', 'RateLimitError']);

let isWatching = false;

function watchCommands(): void {
  if (isWatching) return;
  isWatching = true;
  const { prototype } = Redis;
  const send = prototype.sendCommand;
  prototype.sendCommand = function (this: Redis, command, ...rest) {
    const attempt = attempts.getStore();
    if (attempt !== undefined) note(attempt, command as unknown as Command);
    return send.call(this, command, ...rest);
  };
}

function note(attempt: Attempt, command: Command): void {
  if (READS.test(command.name)) return;
  if (attempt.end === 'done')
    reportFault(new Error(`${attempt.what} has ended, and sends the command ${command.name}`));
  attempt.pending.set(command, command.name);
  const act = writeSent(attempt.queue, attempt.writes++);
  const answered = (): void => void attempt.pending.delete(command);
  command.promise.then(() => {
    answered();
    act?.();
  }, answered);
}
