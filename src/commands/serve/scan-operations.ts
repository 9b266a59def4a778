import { mergeSorted } from '../../model/merge-sorted.ts';
import type { ScanRecord } from '../../model/scan/scan-record.ts';
import { notFound } from '../../operations/context.ts';
import { rendered } from '../../operations/findings/report.ts';
import { filterItems, pageOf, takePage } from '../../operations/paging.ts';
import { sinceOf } from '../../operations/parameters.ts';
import { withTimes } from '../../server/api/events/follow-store.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { compareNewest, type PlacedId } from '../../store/newest-ids.ts';
import { ScanError } from '../errors.ts';
import { concludedReport } from '../scanning/scan-report.ts';
import { administerScans } from '../scans.ts';
import type { ServeContext } from './serve-context.ts';

type Own = 'lockhound.scans.list' | 'lockhound.scans.get' | 'lockhound.scans.report';

export function scanOperations(context: ServeContext): Pick<HttpOperations, Own> {
  const admin = administerScans(context.shared);
  const { shards } = context.fleet;
  const show = async (id: string, sees: (target: string) => boolean) => {
    const shown = await admin.show(id, sees);
    if (shown !== undefined) return shown;
    throw notFound(`there is no scan ${id}: records are kept for 30 days`);
  };
  return {
    async 'lockhound.scans.list'({ params, principal }) {
      const { state: states, target } = params;
      const since = sinceOf(params.since);
      const page = pageOf<PlacedId>(context, { method: 'lockhound.scans.list', params, principal });
      const fits = (scan: ScanRecord): boolean =>
        (states === undefined || states.includes(scan.state)) &&
        (target === undefined || scan.target === target) &&
        principal.sees(scan.target);
      const queued =
        page.after === undefined
          ? (await admin.queued()).filter((scan) => fits(scan) && isSince(scan, since))
          : [];
      const known = new Set(queued.map(({ scan }) => scan));
      const range = { since, after: page.after, count: Math.min(100, page.size + 1) };
      const records = mergeSorted(
        shards.map(({ scans }) => scans.newest(range)),
        compareNewest,
      );
      const fitting = filterItems(records, ({ id, scan }) => !known.has(id) && fits(scan));
      const { items, next } = await takePage(fitting, page, ({ id, time }) => ({ id, time }));
      return {
        scans: [...queued.slice(0, page.size), ...items.map(({ scan }) => scan)].map(withTimes),
        ...next,
      };
    },
    async 'lockhound.scans.get'({ params, principal }) {
      const { scan, deliveries } = await show(params.scan, principal.sees);
      return { scan: withTimes(scan), deliveries };
    },
    async 'lockhound.scans.report'({ params, principal }) {
      const { scan } = await show(params.scan, principal.sees);
      const store = context.fleet.of(scan.target);
      const found = await concludedReport(store, scan).catch((error: unknown) => {
        if (error instanceof ScanError) throw notFound(error.message);
        throw error;
      });
      return await rendered(found, params.format);
    },
  };
}

function isSince({ requestedAt }: ScanRecord, since = 0): boolean {
  return Date.parse(requestedAt) >= since;
}
