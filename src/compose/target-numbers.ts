import type { TargetSummary } from '../model/fleet/target-summary.ts';
import type { TargetNumbers } from '../server/metrics/fleet-numbers.ts';
import type { Store } from './store.ts';

const DAY_MS = 24 * 3_600_000;
/** By name: how long ago a target was read. */
const AGES: readonly (readonly [name: string, ms: number])[] = [
  ['1d', DAY_MS],
  ['7d', 7 * DAY_MS],
  ['30d', 30 * DAY_MS],
  ['90d', 90 * DAY_MS],
];
const MIN_PAUSE_MS = 60_000;
/** A pass takes at most this part of the time. */
const SHARE = 50;
/** The rule of findings in summaries that earlier releases wrote. */
export const UNKNOWN_RULE = 'unknown';

type Pass = Pick<Store, 'targetSummaries'>;

/** Returns a function that counts findings and ages of targets; the numbers may be some minutes old. */
export function createTargetNumbers(shards: readonly Pass[], now: () => number = Date.now) {
  let last: { readonly numbers: Promise<TargetNumbers>; readonly until: number } | undefined;
  return (): Promise<TargetNumbers> => {
    if (last !== undefined && now() < last.until) return last.numbers;
    const startedAt = now();
    const before = last?.numbers;
    const pass = countTargets(shards, startedAt);
    last = { numbers: before ?? pass, until: Number.POSITIVE_INFINITY };
    pass.then(
      () => {
        last = { numbers: pass, until: now() + Math.max(MIN_PAUSE_MS, SHARE * (now() - startedAt)) };
      },
      () => {
        last = before === undefined ? undefined : { numbers: before, until: 0 };
      },
    );
    return last.numbers;
  };
}

async function countTargets(shards: readonly Pass[], time: number): Promise<TargetNumbers> {
  const open = new Map<string, Map<string, number>>();
  const olderThan = new Map(AGES.map(([name]) => [name, 0]));
  for (const { targetSummaries } of shards) {
    for await (const part of targetSummaries.all()) {
      for (const [, summary] of part) {
        addFindings(open, summary);
        const age = time - Date.parse(summary.requestedAt);
        for (const [name, ms] of AGES) if (age > ms) olderThan.set(name, (olderThan.get(name) ?? 0) + 1);
      }
    }
  }
  return { open, olderThan };
}

function addFindings(open: Map<string, Map<string, number>>, { open: all, openByRule }: TargetSummary): void {
  for (const [rule, severities] of Object.entries(openByRule ?? { [UNKNOWN_RULE]: all })) {
    const counts = open.get(rule) ?? new Map<string, number>();
    open.set(rule, counts);
    for (const [severity, count = 0] of Object.entries(severities)) {
      counts.set(severity, (counts.get(severity) ?? 0) + count);
    }
  }
}
