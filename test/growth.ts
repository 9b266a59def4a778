/** Work that can be repeated with a text. */
export type Work = (text: string) => unknown;

/** A text that is repeated between a beginning and an end, or the text of a size. */
export type Hostile = Repeated | ((size: number) => string);

interface Repeated {
  readonly before: string;
  readonly repeated: string | ((at: number) => string);
  readonly after: string;
}

/** Four times the text takes 4 times as long in linear time, and 16 times in quadratic time. */
const FACTOR = 4;
const LIMIT = 9;
/** CPU time in ms below which a measurement is too short to be compared. */
const MEASURABLE = 12;
const TRIES = 3;
/** The clock of CPU time may be as coarse as this, in ms. */
const TICK = 1;

/**
 * How much longer the work takes with four times the text, when that is more than linear; `undefined` for linear time. Begins with a short
 * text, so that slow work ends soon. CPU time of the thread decides, and the smallest of several results: other work on the machine
 * makes a result larger only by chance. A growth counts when the next fourfold shows it, too.
 */
export function superlinearGrowth(
  work: Work,
  hostile: Hostile,
  sizes: readonly number[],
  measurableMs = MEASURABLE,
): number | undefined {
  for (const size of sizes) {
    // Each text is another one: the work may remember results.
    let more = 0;
    const measured = (length: number) => {
      more += 1;
      return cpuOf(work, textOf(hostile, length + more * unitOf(hostile)));
    };
    // The first run of some work is slow: only work that stays slow can be compared.
    if (measured(size) < measurableMs || measured(size) < measurableMs) continue;
    const growthFrom = (length: number): number => {
      let [short, long] = [measured(length), Number.POSITIVE_INFINITY];
      for (let attempt = 0; attempt < TRIES && long > LIMIT * short; attempt += 1) {
        long = Math.min(long, measured(length * FACTOR));
        // After the long one, which is when V8 has optimized the work.
        short = Math.min(short, measured(length));
      }
      return long / Math.max(short, TICK);
    };
    const growth = growthFrom(size);
    // The heap may be collected for the first time in the longer text: what is superlinear goes on growing like that.
    if (growth > LIMIT && growthFrom(size * FACTOR) > LIMIT) return growth;
  }
  return undefined;
}

function unitOf(hostile: Hostile): number {
  return typeof hostile !== 'function' && typeof hostile.repeated === 'string' ? hostile.repeated.length : 1;
}

/** The text of a size; a repeated one has at least so many characters. */
export function textOf(hostile: Hostile, size: number): string {
  if (typeof hostile === 'function') return hostile(size);
  const { before, repeated, after } = hostile;
  if (typeof repeated === 'string') {
    return before + repeated.repeat(Math.max(1, Math.ceil(size / repeated.length))) + after;
  }
  const parts: string[] = [];
  for (let length = 0, at = 0; length < size; at += 1) {
    const part = repeated(at);
    parts.push(part);
    length += part.length;
  }
  return before + parts.join('') + after;
}

/** CPU time of the thread in ms, without the threads that compile and collect. Errors of the work are results like others. */
export function cpuOf(work: Work, text: string): number {
  const start = process.threadCpuUsage();
  try {
    work(text);
  } catch {
    // A refused text also takes time.
  }
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
