import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

const DAY_MS = 24 * 3_600_000;
const TREND_DAYS = 90;

/** The counts of the last days. */
export const trend: Operation<'lockhound.fleet.trend'> = async ({ params, principal }, { fleet }) => {
  requireWholeFleet(principal);
  const { days = TREND_DAYS } = params;
  const first = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  // All shards share one series.
  return { days: (await fleet.shards[0]?.dayCounts.since(first)) ?? [] };
};
