import type { IdentifiedPackage } from '../../fleet/identity.ts';
import type { OtherVersions } from '../../model/api/lockhound-api.generated.ts';
import { systemOf } from '../../model/lockfile/ecosystem.ts';
import { compareText } from '../../policy/finding-order.ts';
import { schemeOf } from '../../versions/scheme.ts';
import type { OperationContext } from '../context.ts';
import { findHolders, type Holder, type HolderTest } from './holders.ts';
import type { PackageQuery } from './query.ts';

/** Purls that are named. */
const MAX_NAMED = 10;

/**
 * The versions of a package that targets hold, for a query that selects none of them. Those of the ecosystems in `notCompared` are left out:
 * it is not known whether the query selects them. Throws `Refusal` (`query-invalid`).
 */
export async function otherVersions(
  context: OperationContext,
  query: PackageQuery,
  { fits, notCompared }: { readonly fits: HolderTest; readonly notCompared: readonly string[] },
): Promise<OtherVersions> {
  const { holders } = await findHolders(context, { ...query, versions: '' }, fits);
  const held = new Map<string, IdentifiedPackage>();
  let targets = 0;
  for (const holder of holders) {
    const own = packagesOf(holder).filter(({ ecosystem }) => !notCompared.includes(ecosystem));
    for (const one of own) held.set(one.purl, one);
    if (own.length > 0) targets += 1;
  }
  const newest = [...held.values()].sort(newestFirst).slice(0, MAX_NAMED);
  return { targets, count: held.size, newest: newest.map(({ purl }) => purl) };
}

function packagesOf({ lockfiles, selected }: Holder): readonly IdentifiedPackage[] {
  const ids = new Set(lockfiles.flatMap(({ lookedUp, excluded }) => [...lookedUp, ...excluded]));
  return [...ids].flatMap((id) => selected.byId.get(id) ?? []);
}

/** By ecosystem, the newest version first; versions that the ecosystem cannot read last, by text. */
function newestFirst(left: IdentifiedPackage, right: IdentifiedPackage): number {
  return (
    compareText(left.ecosystem, right.ecosystem) ||
    compareVersions(left.ecosystem, right.version, left.version) ||
    compareText(left.purl, right.purl)
  );
}

function compareVersions(ecosystem: string, left: string, right: string): number {
  const system = systemOf(ecosystem);
  if (system === undefined) return compareText(left, right);
  const scheme = schemeOf(system);
  const [isLeft, isRight] = [scheme.isValid(left), scheme.isValid(right)];
  return isLeft && isRight ? scheme.compare(left, right) : Number(isLeft) - Number(isRight);
}
