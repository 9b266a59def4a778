import type { FleetStore } from '../../compose/fleet-store.ts';
import { mergeSorted } from '../../model/merge-sorted.ts';
import { atLeast } from '../../model/scan/severity.ts';
import type { ChangeLogEntry } from '../../store/fleet/change-log.ts';
import { unreadableOf } from '../context.ts';
import type { Call, Operation } from '../operation.ts';
import { filterItems, pageOf, takePage } from '../paging.ts';
import { labelTest, sinceOf } from '../parameters.ts';

/** The changes of one scan. `shard`: the index of its shard. */
type FleetChanges = ChangeLogEntry & { readonly shard: number };

/** The place of an entry in the log of all shards. */
type ChangePlace = Pick<FleetChanges, 'at' | 'shard' | 'id'>;

/** Scans with changes that fit, newest first. */
export const list: Operation<'lockhound.changes.list'> = async ({ params, principal }, context) => {
  const { fleet, loaded } = context;
  const page = pageOf<ChangePlace>(context, { method: 'lockhound.changes.list', params, principal });
  const hasLabels = labelTest(params.label);
  const entries = filterItems(
    newestFirst(fleet, sinceOf(params.since) ?? 0, page.after),
    (entry) =>
      (params.target === undefined || entry.target === params.target) &&
      hasLabels?.(entry) !== false &&
      principal.sees(entry.target),
  );
  const fits = changeTest(params, loaded.config.policy.unknownSeverity);
  const { items, next } = await takePage(fitting(entries, fits), page, ({ at, shard, id }) => ({
    at,
    shard,
    id,
  }));
  const scans = items.map(({ at, shard: _shard, ...entry }) => ({
    ...entry,
    at: new Date(at).toISOString(),
  }));
  return { scans, ...unreadableOf(context, principal), ...next };
};

type Change = ChangeLogEntry['changes'][number];
type Filters = Call<'lockhound.changes.list'>['params'];

function changeTest(
  { rule: rules, severity, fingerprint, notes = false }: Filters,
  unknownSeverity: NonNullable<Filters['severity']>,
): (change: Change) => boolean {
  return (change) => {
    const counted = change.severity === 'unrated' ? unknownSeverity : change.severity;
    return (
      (notes || change.level === 'alert') &&
      (fingerprint === undefined || change.fingerprint === fingerprint) &&
      (rules === undefined || rules.includes(change.rule)) &&
      (severity === undefined || atLeast(counted, severity))
    );
  };
}

/** The entries with their changes that fit, without those that have none. */
async function* fitting(
  entries: AsyncGenerator<FleetChanges>,
  fits: (change: Change) => boolean,
): AsyncGenerator<FleetChanges> {
  for await (const entry of entries) {
    const changes = entry.changes.filter(fits);
    if (changes.length > 0) yield { ...entry, changes };
  }
}

/** The logs of all shards as one: newest first, those of one time by shard. */
function newestFirst(
  { shards, onUnreadable }: FleetStore,
  since: number,
  after?: ChangePlace,
): AsyncGenerator<FleetChanges> {
  const logs = shards.map(async function* ({ changeLog }, shard) {
    for await (const entry of changeLog.since(since, onUnreadable, endOf(shard, after)))
      yield { ...entry, shard };
  });
  return mergeSorted(logs, (left, right) => right.at - left.at || left.shard - right.shard);
}

/** The newest entry of a shard that follows a place, in the notation of `XREVRANGE`. */
function endOf(shard: number, after: ChangePlace | undefined): string {
  if (after === undefined) return '+';
  if (shard === after.shard) return `(${after.id}`;
  return String(shard > after.shard ? after.at : after.at - 1);
}
