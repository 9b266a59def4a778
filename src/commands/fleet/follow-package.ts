import { setTimeout as wait } from 'node:timers/promises';
import { type FleetStore, openFleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { identityOf } from '../../fleet/identity.ts';
import type {
  FollowedPackage,
  FollowedVersion,
  FollowingTarget,
  PackageMove,
} from '../../model/fleet/followed-package.ts';
import { findHolders, type Holder } from '../../operations/packages/holders.ts';
import { requireTargets, similarNames } from '../../operations/packages/places.ts';
import type { PackageQuery } from '../../operations/packages/query.ts';
import { compareText } from '../../policy/finding-order.ts';
import { suspicionOf } from '../../policy/signals/suspicion.ts';
import { sourceProjects } from './source-projects.ts';

/** Follows packages. */
export type FollowAdmin = Awaited<ReturnType<typeof openFollow>>;

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openFollow(loaded: LoadedConfig) {
  const fleet = await openFleetStore(loaded);
  return {
    unreadable: fleet.unreadable,
    /** Throws `FleetError` (`nothing-stored`, `query-invalid`). */
    async read(query: PackageQuery): Promise<FollowedPackage> {
      const found = await readPackage(fleet, query);
      const identities = new Set(found.versions.map(identityOf));
      const [first] = fleet.shards;
      // All shards share the scores.
      const projects =
        first === undefined || identities.size === 0
          ? []
          : await sourceProjects(first.inspections.projects, identities);
      return { ...found, projects };
    },
    /** What changes from a package on, until the signal aborts. Redis is asked every `everyMs` whether any target changed. */
    moves: (query: PackageQuery, from: FollowedPackage, options: FollowOptions) =>
      followPackage(fleet, query, from, options),
    close: fleet.close,
  };
}

/** A package without its source projects. */
type PackageInFleet = Omit<FollowedPackage, 'projects'>;

/** A busy fleet changes all the time; what changes then is in the next answer. */
const MAX_READS = 3;

interface FollowOptions {
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** The versions of a package, and the targets that hold them. Throws `FleetError`. */
export async function readPackage(fleet: FleetStore, query: PackageQuery): Promise<PackageInFleet> {
  const { holders, selections } = await findHolders(fleet, query);
  const known = new Map<string, FollowedVersion>();
  for (const { store, byId } of selections) {
    for (const version of await versionsIn(fleet, store, byId)) {
      known.set(version.purl, earliest(known.get(version.purl), version));
    }
  }
  if (holders.length === 0) await requireTargets(fleet);
  const targets = holders.map(({ target, ...holder }) => ({ target, purls: purlsOf(holder) }));
  const counts = new Map<string, number>();
  for (const { purls } of targets) for (const purl of purls) counts.set(purl, (counts.get(purl) ?? 0) + 1);
  const versions = [...known.values()].map((one) => ({ ...one, targets: counts.get(one.purl) ?? 0 }));
  return {
    versions: versions.sort(bySeen),
    targets,
    similar: versions.length > 0 ? [] : await similarNames(fleet, query),
  };
}

/** The versions of one shard, with what is stored of them. `targets` is not counted here. */
async function versionsIn(
  { policy }: FleetStore,
  { packageIds, facts, inspections }: Store,
  byId: Holder['selected']['byId'],
): Promise<readonly FollowedVersion[]> {
  const packages = [...byId];
  const identities = packages.map(([, one]) => identityOf(one));
  const [times, records, inspected] = await Promise.all([
    packageIds.givenAt(packages.map(([id]) => id)),
    facts.versions.read(identities),
    inspections.read(identities),
  ]);
  return packages.map(([id, { ecosystem, name, version, purl }], index): FollowedVersion => {
    const given = times.get(id);
    const known = records[index];
    const publishedAt = known !== undefined && 'record' in known ? known.record.publishedAt : undefined;
    const inspection = inspected[index];
    const suspicion = inspection && suspicionOf(inspection, { target: '', groups: [] }, policy);
    return {
      ecosystem,
      name,
      version,
      purl,
      ...(publishedAt === undefined ? {} : { publishedAt }),
      ...(given === undefined ? {} : { firstSeenAt: new Date(given).toISOString() }),
      targets: 0,
      signals: suspicion?.reasons.map(({ signal }) => signal) ?? [],
      score: suspicion?.score ?? 0,
    };
  });
}

/** With several shards, a version was first seen in the one that saw it first. */
function earliest(known: FollowedVersion | undefined, found: FollowedVersion): FollowedVersion {
  if (known === undefined) return found;
  const best = known.score > found.score ? known : found;
  const times = [known.firstSeenAt, found.firstSeenAt];
  const { firstSeenAt: _, ...rest } = best;
  return times.includes(undefined) ? rest : { ...rest, firstSeenAt: times.sort()[0] ?? '' };
}

function purlsOf({ lockfiles, selected }: Omit<Holder, 'target'>): readonly string[] {
  const ids = new Set(lockfiles.flatMap(({ lookedUp, excluded }) => [...lookedUp, ...excluded]));
  return [...ids].flatMap((id) => selected.byId.get(id)?.purl ?? []).sort(compareText);
}

/** The version that the fleet saw last first; those whose time is not known by their publication. */
function bySeen(left: FollowedVersion, right: FollowedVersion): number {
  const [first, second] = [left.firstSeenAt ?? '', right.firstSeenAt ?? ''];
  return (
    compareText(second, first) ||
    compareText(right.publishedAt ?? '', left.publishedAt ?? '') ||
    compareText(left.purl, right.purl)
  );
}

async function* followPackage(
  fleet: FleetStore,
  query: PackageQuery,
  from: PackageInFleet,
  { everyMs, signal }: FollowOptions,
): AsyncGenerator<{ readonly moves: readonly PackageMove[]; readonly now: PackageInFleet }> {
  let before = from;
  const last = new Map<Store, number>();
  for (;;) {
    if (signal.aborted) return;
    if (await anyTouched(fleet, last)) {
      let now = await readPackage(fleet, query);
      // A target that is saved while it is read may be half of what it was and half of what it is.
      for (let again = 0; again < MAX_READS && (await anyTouched(fleet, last)); again += 1) {
        now = await readPackage(fleet, query);
      }
      const moves = movesBetween(before.targets, now.targets);
      before = now;
      if (moves.length > 0) yield { moves, now };
    }
    await wait(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Whether the state of a target changed since the last call. */
async function anyTouched({ shards }: FleetStore, last: Map<Store, number>): Promise<boolean> {
  let touched = false;
  for (const store of shards) {
    const { newest } = await store.touched.since(last.get(store) ?? 0);
    touched ||= newest !== last.get(store);
    last.set(store, newest);
  }
  return touched;
}

/** What targets locked, and what they no longer lock. */
export function movesBetween(
  before: readonly FollowingTarget[],
  now: readonly FollowingTarget[],
): readonly PackageMove[] {
  const [old, current] = [before, now].map((all) => new Map(all.map((one) => [one.target, one.purls])));
  const names = [...new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])])].sort(compareText);
  return names.flatMap((target) => {
    const [had, has] = [old?.get(target) ?? [], current?.get(target) ?? []];
    const took = has.filter((purl) => !had.includes(purl));
    const left = had.filter((purl) => !has.includes(purl));
    return took.length + left.length === 0 ? [] : [{ target, took, left }];
  });
}
