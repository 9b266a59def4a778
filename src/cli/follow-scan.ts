import { setTimeout as sleep } from 'node:timers/promises';
import type { Scan } from '../model/api/lockhound-api.generated.ts';
import { messageOf, undefinedFor } from '../model/errors.ts';
import { raceAbort } from '../model/time-limit.ts';
import { Refusal } from '../operations/refusal.ts';
import type { Caller } from './operations/caller.ts';
import { CommandError } from './program/errors.ts';

export interface FollowOptions {
  /** Time limit in milliseconds. The scan continues when it is exceeded. */
  readonly timeoutMs: number;
  /** Whether the scan names an image, whose base is looked up by a job of its own. */
  readonly hasImage: boolean;
  readonly signal: AbortSignal;
  /** Called with what the scan waits for; `done` of `total` steps. */
  readonly onProgress: (step: string, done: number, total: number) => void;
  /** Called with one line of text when the scan is not done after `slowMs`, and again when the reason changes. */
  readonly onSlow: (text: string) => void;
  /** Milliseconds. Default: 5,000. */
  readonly slowMs?: number;
}

const SLOW_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.3;
/** Consecutive checks without a job or a record after which the scan counts as lost. */
const LOST_AFTER = 10;
/** Consecutive checks without an unfinished job after which a scan with an image is done: the job for it may not be queued yet. */
const IMAGE_CHECKS = 3;

/**
 * Waits until workers have done a scan. It only reads, so it survives restarts of workers, Redis and the server. Throws `Refusal` and
 * `CommandError`: `scan-failed` for a scan that failed or was lost, or `timed-out`.
 */
export async function followScan(caller: Caller, scan: string, options: FollowOptions): Promise<void> {
  const { timeoutMs, signal, onSlow, onProgress, slowMs = SLOW_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, timeout]);
  let step = 'there is no answer yet';
  const explained = new Set<string>();
  const slow = setInterval(() => {
    if (explained.has(step)) return;
    explained.add(step);
    const waiting = step;
    void explain(caller).then((health) => onSlow(`Scan ${scan} is not done: ${waiting}. ${health}\n`));
  }, slowMs);
  const track: FollowOptions['onProgress'] = (name, done, total) => {
    step = name;
    onProgress(name, done, total);
  };
  try {
    await raceAbort(untilDone(caller, scan, { ...options, signal: ended, onProgress: track }), ended);
  } catch (error) {
    if (!timeout.aborted || (error instanceof CommandError && error.code === 'scan-failed')) throw error;
    const detail = `scan ${scan} is not done after ${timeoutMs / 1_000} s (${step}); it continues. Run the command again with \`--scan ${scan}\` to wait for it`;
    throw new CommandError('timed-out', detail);
  } finally {
    clearInterval(slow);
  }
}

async function untilDone(
  caller: Caller,
  scan: string,
  { signal, onProgress, hasImage }: FollowOptions,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  let [unseen, quiet] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    const found = await stateOf(caller, scan, signal);
    unseen = found === undefined ? unseen + 1 : 0;
    if (unseen >= LOST_AFTER)
      throw new CommandError('scan-failed', `scan ${scan} is neither queued nor judged; enqueue it again`);
    const step = found === undefined ? NOT_SEEN : stepOf(found);
    quiet = step === undefined ? quiet + 1 : 0;
    if (quiet >= (hasImage ? IMAGE_CHECKS : 1)) return;
    if (step !== undefined) onProgress(step, found?.state === 'running' ? 1 : 0, 2);
    await sleep(pause, undefined, { signal });
    pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH);
  }
}

const NOT_SEEN = 'it is not queued yet';

/** The step that a scan waits for. `undefined` for one that is done. Throws `CommandError` for one that failed. */
function stepOf({ state, step, reason = 'the scan failed' }: Scan): string | undefined {
  if (state === 'failed') throw new CommandError('scan-failed', reason);
  return step ?? (state === 'queued' || state === 'running' ? state : undefined);
}

/** The state of a scan. `undefined` when there is no such scan. */
async function stateOf(caller: Caller, scan: string, signal: AbortSignal) {
  const asking = caller.call('lockhound.scans.get', { scan }, { signal });
  return (await asking.catch(undefinedFor(Refusal, 'not-found')))?.scan;
}

/** The text of `lockhound health` about what does not work. */
async function explain(caller: Caller): Promise<string> {
  try {
    const { parts } = await caller.call('lockhound.health.get', {});
    const faults = parts.filter(({ verdict }) => verdict !== 'fine');
    return faults.map(({ says, remedy = '' }) => `${says}. ${remedy}`.trim()).join(' ');
  } catch (error) {
    return `\`lockhound health\` cannot be read: ${messageOf(error)}`;
  }
}
