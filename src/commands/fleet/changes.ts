import { type FleetStore, hasLabels, type Labels, openFleetStore } from '../../compose/fleet-store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { mergeSorted } from '../../model/merge-sorted.ts';
import { atLeast, type RatedSeverity } from '../../model/scan/severity.ts';
import type { ChangeLogEntry } from '../../store/fleet/change-log.ts';

export interface ChangeFilter {
  /** ms since 1970. */
  readonly since: number;
  readonly target?: string | undefined;
  readonly labels?: Labels | undefined;
  readonly rules?: readonly string[] | undefined;
  /** At least as severe. Unrated ones count as `unknownSeverity` of the policy. */
  readonly severity?: RatedSeverity | undefined;
  readonly notes?: boolean | undefined;
  /** Only those of this finding. */
  readonly fingerprint?: string | undefined;
  /** Only those that follow this one. */
  readonly after?: ChangePlace | undefined;
}

/** The changes of one scan in the log of all shards. */
export interface FleetChanges extends ChangeLogEntry {
  /** Index of the shard. */
  readonly shard: number;
}

/** The place of an entry in the log of all shards. */
export type ChangePlace = Pick<FleetChanges, 'at' | 'shard' | 'id'>;

/** Questions about the log of changes. */
export type ChangeAdmin = Awaited<ReturnType<typeof openChanges>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openChanges(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  const { unknownSeverity } = loaded.config.policy;
  return {
    unreadable: fleet.unreadable,
    /** Scans with changes that fit, newest first. */
    find: (filter: ChangeFilter) => findChanges(fleet, filter, unknownSeverity),
    close: fleet.close,
  };
}

/** Scans with changes that fit, newest first. */
export async function* findChanges(
  fleet: FleetStore,
  { since, after, target, labels, rules, severity, fingerprint, notes = false }: ChangeFilter,
  unknownSeverity: RatedSeverity,
): AsyncGenerator<FleetChanges> {
  const fits = hasLabels(labels);
  for await (const entry of newestFirst(fleet, since, after)) {
    if ((target !== undefined && entry.target !== target) || !fits(entry.labels)) continue;
    const changes = entry.changes.filter((change) => {
      const counted = change.severity === 'unrated' ? unknownSeverity : change.severity;
      return (
        (notes || change.level === 'alert') &&
        (fingerprint === undefined || change.fingerprint === fingerprint) &&
        (rules === undefined || rules.includes(change.rule)) &&
        (severity === undefined || atLeast(counted, severity))
      );
    });
    if (changes.length > 0) yield { ...entry, changes };
  }
}

/** The logs of all shards as one: newest first, those of one time by shard. */
async function* newestFirst({ shards, onUnreadable }: FleetStore, since: number, after?: ChangePlace) {
  const logs = shards.map(({ changeLog }, shard) =>
    withShard(changeLog.since(since, onUnreadable, endOf(shard, after)), shard),
  );
  yield* mergeSorted(logs, (left, right) => right.at - left.at || left.shard - right.shard);
}

async function* withShard(log: AsyncGenerator<ChangeLogEntry>, shard: number): AsyncGenerator<FleetChanges> {
  for await (const entry of log) yield { ...entry, shard };
}

/** The newest entry of a shard that follows a place, in the notation of `XREVRANGE`. */
function endOf(shard: number, after: ChangePlace | undefined): string {
  if (after === undefined) return '+';
  if (shard === after.shard) return `(${after.id}`;
  return String(shard > after.shard ? after.at : after.at - 1);
}
