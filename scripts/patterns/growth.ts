import { runInNewContext } from 'node:vm';
import { type Attack, attacksOn } from './attacks.ts';
import type { FoundPattern } from './collect.ts';

/** Characters of the texts. Time of a high degree shows with short ones. */
const LENGTHS = [24, 150, 900, 5_400];
/** Wall-clock time in ms after which an attempt is interrupted, and the CPU time in microseconds with which it counts as slow. */
const HANG_MS = 600;
const HANGS = 80_000;
/** With eight times the text, linear time grows by 8 and quadratic time by 64. The limit is as far from one as from the other. */
const FACTOR = 8;
const LIMIT = 22;
/** Time in microseconds, below which times are too short to be compared. */
const MEASURABLE = 200;
/** A disturbed measurement is repeated this many times: what is really slow is slow each time. */
const TRIES = 3;

export interface SlowText extends Attack {
  /** How much longer an attempt takes with eight times the text. */
  readonly growth: number;
}

export interface SlowPattern {
  readonly pattern: string;
  readonly flags: string;
  readonly places: readonly string[];
  readonly text: SlowText;
}

/** The expressions whose time grows faster than linear with one of the texts made for them. */
export function slowPatterns(found: readonly FoundPattern[]): readonly SlowPattern[] {
  const same = Map.groupBy(found, ({ pattern, flags }) => `/${pattern}/${flags}`);
  return [...same.values()].flatMap((group) => {
    const [{ pattern, flags } = { pattern: '', flags: '' }] = group;
    const text = slowText(new RegExp(pattern, flags), attacksOn(pattern, flags));
    return text === undefined ? [] : [{ pattern, flags, places: group.map(({ place }) => place), text }];
  });
}

/**
 * The text with which the time of the expression grows faster than linear; `undefined` when there is none.
 */
function slowText(expression: RegExp, attacks: readonly Attack[]): SlowText | undefined {
  const left = LENGTHS.flatMap((length) => attacks.map((attack) => ({ attack, length }))).values();
  let current = left.next();
  let start = process.threadCpuUsage();
  const run = (): SlowText | undefined => {
    for (; !current.done; current = left.next()) {
      const { attack, length } = current.value;
      start = process.threadCpuUsage();
      const growth = growthOf(expression, attack, length);
      if (growth > LIMIT) return { ...attack, growth };
    }
    return undefined;
  };
  for (;;) {
    try {
      return runInNewContext('run()', { run }, { timeout: HANG_MS });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      // The interruption came after the last text.
      if (current.done) return undefined;
      const { user } = process.threadCpuUsage(start);
      if (user > HANGS) return { ...current.value.attack, growth: Number.POSITIVE_INFINITY };
      // Otherwise there are many texts, or the machine was busy with something else: the current text is tried again.
    }
  }
}

/**
 * The smallest growth of several measurements, which is that with the fewest disturbances; 0 where the time is too short to tell. Other work
 * on the machine adds nothing to the CPU time of the long text. Some systems count that by ticks of 4 ms, so that the clock has to agree,
 * and alone measures the short text.
 */
function growthOf(expression: RegExp, attack: Attack, length: number): number {
  const text = textOf(attack, length);
  if (timeOf(expression, text).clock < MEASURABLE) return 0;
  const longText = textOf(attack, length * FACTOR);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least > LIMIT; attempt += 1) {
    const short = Math.min(...Array.from({ length: TRIES }, () => timeOf(expression, text).clock));
    if (short < MEASURABLE) return 0;
    const long = timeOf(expression, longText);
    least = Math.min(least, long.clock / short, long.cpu / short);
  }
  return least;
}

/**
 * Time in microseconds in which the expression finds all that it finds, by the clock and of the processor. Only that of this thread: V8
 * collects garbage and compiles in others.
 */
function timeOf(expression: RegExp, text: string): { readonly clock: number; readonly cpu: number } {
  const start = process.threadCpuUsage();
  const began = performance.now();
  expression.lastIndex = 0;
  if (expression.global) for (const _ of text.matchAll(expression));
  else expression.test(text);
  const clock = 1_000 * (performance.now() - began);
  const { user, system } = process.threadCpuUsage(start);
  return { clock, cpu: user + system };
}

function textOf({ prefix, pump, suffix }: Attack, length: number): string {
  return `${prefix}${pump.repeat(Math.max(1, Math.ceil(length / pump.length)))}${suffix}`;
}
