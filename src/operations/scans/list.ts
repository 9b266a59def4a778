import { mergeSorted } from '../../model/merge-sorted.ts';
import type { ScanRecord } from '../../model/scan/scan-record.ts';
import { compareNewest, type PlacedId } from '../../store/newest-ids.ts';
import { omitted } from '../context.ts';
import type { Operation } from '../operation.ts';
import { filterItems, pageOf, takePage } from '../paging.ts';
import { sinceOf } from '../parameters.ts';
import { queuedScans, shownScan } from './find.ts';

/** Queued and running scans first, then the newest. */
export const list: Operation<'lockhound.scans.list'> = async ({ params, principal }, context) => {
  const { fleet } = context;
  const { state: states, target } = params;
  const since = sinceOf(params.since) ?? 0;
  const page = pageOf<PlacedId>(context, { method: 'lockhound.scans.list', params, principal });
  const fits = (scan: ScanRecord): boolean =>
    (states === undefined || states.includes(scan.state)) &&
    (target === undefined || scan.target === target) &&
    principal.sees(scan.target);
  // They are on the first page.
  const waiting =
    page.after === undefined
      ? (await Promise.all(fleet.shards.map((shard) => queuedScans(fleet, shard)))).flat()
      : [];
  const queued = waiting.filter((scan) => fits(scan) && Date.parse(scan.requestedAt) >= since);
  const known = new Set(queued.map(({ scan }) => scan));
  const range = { since, after: page.after, count: Math.min(100, page.size + 1) };
  const records = mergeSorted(
    fleet.shards.map(({ scans }) => scans.newest(range)),
    compareNewest,
  );
  const fitting = filterItems(records, ({ id, scan }) => !known.has(id) && fits(scan));
  const { items, next } = await takePage(fitting, page, ({ id, time }) => ({ id, time }));
  const scans = [...queued.slice(0, page.size), ...items.map(({ scan }) => scan)].map(shownScan);
  return { scans, ...omitted(queued.length - page.size), ...next };
};
