import type { FleetStore } from '../../compose/fleet-store.ts';
import type { Store } from '../../compose/store.ts';
import { identityOf } from '../../fleet/identity.ts';
import type { PackageHolder, PackageVersion } from '../../model/api/lockhound-api.generated.ts';
import { compareText } from '../../policy/finding-order.ts';
import { suspicionOf } from '../../policy/signals/suspicion.ts';
import { unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findHolders, type Holder, type SelectedPackages } from './holders.ts';
import { packagesOf, similarNames } from './places.ts';
import { readPackageQuery } from './query.ts';

/** The versions of a package, and the targets that hold them. */
export const versions: Operation<'lockhound.packages.versions'> = async ({ params, principal }, context) => {
  const { fleet } = context;
  const query = readPackageQuery(params.package, { ecosystem: params.ecosystem });
  const { holders, selections } = await findHolders(context, query, ({ target }) => principal.sees(target));
  const targets = holders.map(holderOf);
  const counts = new Map<string, number>();
  for (const { purls } of targets) for (const purl of purls) counts.set(purl, (counts.get(purl) ?? 0) + 1);
  const versions: PackageVersion[] = [];
  for (const one of (await versionsOf(fleet, selections)).values()) {
    const held = counts.get(one.purl) ?? 0;
    // Versions that only other targets hold are not shown.
    if (principal.seesAll || held > 0) versions.push({ ...one, targets: held });
  }
  return {
    versions: versions.sort(bySeen),
    targets,
    similar: versions.length > 0 || !principal.seesAll ? [] : [...(await similarNames(context, query))],
    ...unreadableOf(context, principal),
  };
};

function holderOf(holder: Holder): PackageHolder {
  const purls = packagesOf(holder).map(({ purl }) => purl);
  return { target: holder.target, purls: purls.sort(compareText) };
}

/** The versions of all shards, with what is stored of them, by purl. `targets` is not counted here. */
async function versionsOf(
  { policy }: FleetStore,
  selections: readonly SelectedPackages[],
): Promise<ReadonlyMap<string, PackageVersion>> {
  const known = new Map<string, PackageVersion>();
  for (const { store, byId } of selections) {
    const packages = [...byId];
    const { times, records, inspected } = await factsOf(store, packages);
    for (const [index, [id, { ecosystem, name, version, purl }]] of packages.entries()) {
      const given = times.get(id);
      const record = records[index];
      const publishedAt = record !== undefined && 'record' in record ? record.record.publishedAt : undefined;
      const inspection = inspected[index];
      const suspicion = inspection && suspicionOf(inspection, { target: '', groups: [] }, policy);
      const own: PackageVersion = {
        ecosystem,
        name,
        version,
        purl,
        ...(publishedAt === undefined ? {} : { publishedAt }),
        ...(given === undefined || given === 0 ? {} : { firstSeenAt: new Date(given).toISOString() }),
        targets: 0,
        signals: suspicion?.reasons.map(({ signal }) => signal) ?? [],
        score: suspicion?.score ?? 0,
      };
      known.set(purl, earliest(known.get(purl), own));
    }
  }
  return known;
}

async function factsOf(
  { packageIds, facts, inspections }: Store,
  packages: readonly (readonly [id: number, Parameters<typeof identityOf>[0]])[],
) {
  const identities = packages.map(([, one]) => identityOf(one));
  const [times, records, inspected] = await Promise.all([
    packageIds.givenAt(packages.map(([id]) => id)),
    facts.versions.read(identities),
    inspections.read(identities),
  ]);
  return { times, records, inspected };
}

/** With several shards, a version was first seen in the one that saw it first. */
function earliest(known: PackageVersion | undefined, found: PackageVersion): PackageVersion {
  if (known === undefined) return found;
  const best = known.score > found.score ? known : found;
  const times = [known.firstSeenAt, found.firstSeenAt];
  const { firstSeenAt: _, ...rest } = best;
  return times.includes(undefined) ? rest : { ...rest, firstSeenAt: times.sort()[0] ?? '' };
}

/** The version that the fleet saw last first; those whose time is not known by their publication. */
function bySeen(left: PackageVersion, right: PackageVersion): number {
  const [first, second] = [left.firstSeenAt ?? '', right.firstSeenAt ?? ''];
  return (
    compareText(second, first) ||
    compareText(right.publishedAt ?? '', left.publishedAt ?? '') ||
    compareText(left.purl, right.purl)
  );
}
