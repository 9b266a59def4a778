import { runInNewContext } from 'node:vm';
import { type Attack, attacksOn } from './attacks.ts';
import type { FoundPattern } from './collect.ts';

/** Characters of the texts. Time of a high degree shows with short ones. */
const LENGTHS = [24, 200, 2_500];
/** Wall-clock time in ms after which an expression is interrupted, and the CPU time in microseconds with which it counts as slow. */
const HANG_MS = 3_000;
const HANGS = 200_000;
/** With four times the text, linear time grows by 4 and quadratic time by 16. */
const FACTOR = 4;
const LIMIT = 8;
/** CPU time in microseconds, below which times are too short to be compared. */
const MEASURABLE = 250;
/** A disturbed measurement is repeated this many times: what is really slow is slow each time. */
const TRIES = 5;

export interface SlowText extends Attack {
  /** How much longer an attempt takes with four times the text. */
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
 * The text with which the time of the expression grows faster than linear; `undefined` when there is none. CPU time of this process and
 * its growth decide, so that other work on the machine does not matter.
 */
function slowText(expression: RegExp, attacks: readonly Attack[]): SlowText | undefined {
  let current: Attack | undefined;
  let start = process.threadCpuUsage();
  const run = (): SlowText | undefined => {
    for (const length of LENGTHS) {
      for (const attack of attacks) {
        current = attack;
        start = process.threadCpuUsage();
        if (timeOf(expression, textOf(attack, length)) < MEASURABLE) continue;
        const growth = growthOf(expression, attack, length);
        if (growth > LIMIT) return { ...attack, growth };
      }
    }
    return undefined;
  };
  for (;;) {
    try {
      return runInNewContext('run()', { run }, { timeout: HANG_MS });
    } catch (error) {
      const { user } = process.threadCpuUsage(start);
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT' || current === undefined)
        throw error;
      // Otherwise the machine was busy with something else.
      if (user > HANGS) return { ...current, growth: Number.POSITIVE_INFINITY };
    }
  }
}

/** The smallest growth of several measurements, which is that with the fewest disturbances. */
function growthOf(expression: RegExp, attack: Attack, length: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least > LIMIT; attempt += 1) {
    const text = textOf(attack, length);
    const longText = textOf(attack, length * FACTOR);
    const short = Math.min(...Array.from({ length: TRIES }, () => timeOf(expression, text)));
    const long = Math.min(...Array.from({ length: attempt + 1 }, () => timeOf(expression, longText)));
    // What takes no time with the longer text is fast, whatever the relation.
    least = Math.min(least, long < MEASURABLE ? 0 : long / Math.max(short, 1));
  }
  return least;
}

/**
 * CPU time in microseconds in which the expression finds all that it finds. Only that of this thread: V8 collects garbage and compiles
 * in others.
 */
function timeOf(expression: RegExp, text: string): number {
  const start = process.threadCpuUsage();
  expression.lastIndex = 0;
  if (expression.global) for (const _ of text.matchAll(expression));
  else expression.test(text);
  const { user, system } = process.threadCpuUsage(start);
  return user + system;
}

function textOf({ prefix, pump, suffix }: Attack, length: number): string {
  return `${prefix}${pump.repeat(Math.max(1, Math.ceil(length / pump.length)))}${suffix}`;
}
