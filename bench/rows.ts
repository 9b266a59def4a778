import { median } from './median.ts';

/** What is timed. A floor is the least work that gives the same; the others are rated by it. */
export interface Subject {
  readonly name: string;
  /** The name of its floor. Floors have none. */
  readonly floor?: string;
  /** How many times as long as its floor it may take. */
  readonly aim?: number;
  /** Whether `--check` compares its ratio with the recorded one. */
  readonly isChecked?: true;
}

/** The times of a subject. */
export interface Row extends Subject {
  readonly leastMs: number;
  readonly medianMs: number;
  readonly mostMs: number;
  /** Median of the ratios to the floor within a round. */
  readonly ratio?: number;
  /** The ratio of the shortest times. */
  readonly leastRatio?: number;
}

/** One table of a bench. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A bench that measures ratios. */
export interface Bench {
  /** `isShort`: without peers and in fewer rounds, for `--check`. */
  measure(args: readonly string[], isShort: boolean): AsyncIterable<Table>;
}

/** Times of each subject in milliseconds, by round. All subjects have been timed in turn. */
export type Times = ReadonlyMap<string, readonly number[]>;

export function rowsOf(subjects: readonly Subject[], times: Times): readonly Row[] {
  return subjects.flatMap(({ name, floor, aim, isChecked }) => {
    const own = times.get(name) ?? [];
    if (own.length === 0) return [];
    const [leastMs, medianMs, mostMs] = [Math.min(...own), median(own), Math.max(...own)];
    const row = { name, leastMs, medianMs, mostMs, ...(isChecked && { isChecked }) };
    if (floor === undefined) return [row];
    const base = times.get(floor) ?? [];
    // Slow subjects have fewer rounds.
    const ratio = median(own.slice(0, base.length).map((time, round) => time / (base[round] as number)));
    const rated = { ...row, floor, ratio, leastRatio: leastMs / Math.min(...base) };
    return [aim === undefined ? rated : { ...rated, aim }];
  });
}

/**
 * Milliseconds: `wall` since the start of the process, `processor` those of this thread, which other processes on the machine
 * hardly affect.
 */
const CLOCKS = {
  wall: () => performance.now(),
  processor: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
} as const;

export interface TimingOptions {
  readonly clock?: keyof typeof CLOCKS;
  /** Subjects that take longer run in three rounds. */
  readonly slowMs?: number;
}

/** Runs the work of each subject in turn, so that load on the machine affects all alike; the order rotates. */
export async function timeInTurn(
  subjects: readonly (Subject & { readonly work: () => unknown })[],
  rounds: number,
  warmUp: number,
  { clock = 'processor', slowMs = SLOW_MS }: TimingOptions = {},
): Promise<Times> {
  const now = CLOCKS[clock];
  const repeats = new Map<string, number>();
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // The garbage of one subject slows down the next.
    const turn = round % subjects.length;
    for (const { name, work } of [...subjects.slice(turn), ...subjects.slice(0, turn)]) {
      const known = times.get(name) ?? [];
      if ((known[0] ?? 0) > slowMs && known.length >= 3) continue;
      const repeat = repeats.get(name) ?? 1;
      const began = now();
      for (let count = 0; count < repeat; count += 1) await work();
      const took = (now() - began) / repeat;
      repeats.set(name, Math.max(1, Math.min(MOST_REPEATS, Math.ceil(LEAST_MS / took))));
      if (round >= warmUp || took > slowMs) known.push(took);
    }
  }
  return times;
}

const SLOW_MS = 400;
/** Work is repeated to take this long: some kernels count processor time in steps of 4 ms. */
const LEAST_MS = 40;
const MOST_REPEATS = 10;
