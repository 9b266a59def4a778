import { expect, it } from 'vitest';
import { dayCountSchedule } from '../../src/compose/worker/schedules.ts';
import type { DayCount } from '../../src/model/fleet/day-count.ts';
import type { TargetSummary } from '../../src/model/fleet/target-summary.ts';

const summaryOf = (open: TargetSummary['open']): TargetSummary => ({
  labels: {},
  lockfiles: [],
  packages: 1,
  open,
  openByRule: {},
  requestedAt: '2026-01-31T06:00:00Z',
});

/** A shard with targets in parts, as far as a count reads it. */
function shardOf(parts: readonly (readonly TargetSummary['open'][])[], written: DayCount[]) {
  return {
    targetSummaries: {
      async *all() {
        for (const part of parts) yield part.map((open, index) => [`t${index}`, summaryOf(open)] as const);
      },
    },
    dayCounts: { write: async (count: DayCount) => void written.push(count), since: async () => written },
  };
}

it('counts the targets of all shards once, for the day of the count', async () => {
  const written: DayCount[] = [];
  const shards = [
    shardOf([[{ high: 2, low: 1 }, {}], [{ critical: 1 }]], written),
    shardOf([[{ high: 3, unrated: 1 }]], written),
  ];
  const schedule = dayCountSchedule(shards as never, () => Date.parse('2026-01-31T23:59:59Z'));
  expect(await schedule.start(new Date('2026-01-30T00:00:00Z'))).toEqual([]);
  expect(written).toEqual([
    { day: '2026-01-31', targets: 4, open: { high: 5, low: 1, critical: 1, unrated: 1 } },
  ]);
});
