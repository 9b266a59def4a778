import type { Severity } from '../../model/scan/severity.ts';
import type { Schedule } from '../../workers/schedules.ts';
import type { Store } from '../store.ts';

/** Several times a day, so that each day has a count although starts move. */
const EVERY_MS = 6 * 3_600_000;

/** Counts the targets of all shards and their open findings for the trend of the page. The last count of a day stays. */
export function dayCountSchedule(
  shards: readonly Pick<Store, 'targetSummaries' | 'dayCounts'>[],
  now: () => number = Date.now,
): Schedule {
  return {
    name: 'count-fleet',
    everyMs: EVERY_MS,
    async start() {
      const open: Partial<Record<Severity, number>> = {};
      let targets = 0;
      for (const { targetSummaries } of shards) {
        for await (const part of targetSummaries.all()) {
          targets += part.length;
          for (const [, summary] of part) addCounts(open, summary.open);
        }
      }
      const day = new Date(now()).toISOString().slice(0, 10);
      await shards[0]?.dayCounts.write({ day, targets, open });
      return [];
    },
  };
}

function addCounts(
  sum: Partial<Record<Severity, number>>,
  counts: Readonly<Partial<Record<Severity, number>>>,
): void {
  for (const [name, count = 0] of Object.entries(counts)) {
    const severity = name as Severity;
    sum[severity] = (sum[severity] ?? 0) + count;
  }
}
