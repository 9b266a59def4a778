import {
  canonicalName,
  canonicalVersion,
  formatVersionKey,
  purlTypeOf,
  SYSTEMS,
  type System,
  systemOf,
  type VersionKey,
  writePurl,
} from '../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import { mapInSlices } from '../model/yielding.ts';

/** The parts of a package that its identity determines. */
export type IdentifiedPackage = Pick<LockedPackage, 'ecosystem' | 'name' | 'version' | 'purl'>;

type Identified = Pick<LockedPackage, 'ecosystem' | 'name' | 'version'>;

/**
 * Identifies a package version in the fleet. For an ecosystem of the index it is the version key of its look-up
 * (`NPM:lodash@4.17.21`), else `ecosystem:name@version`.
 */
export function identityOf({ ecosystem, name, version }: Identified): string {
  const system = systemOf(ecosystem);
  if (system === undefined) return `${ecosystem}:${name}@${version}`;
  return formatVersionKey({
    system,
    name: canonicalName(name, system),
    version: canonicalVersion(version, name, system),
  });
}

/** Whether a package is spelled as its identity determines. */
export function isSpelledAs(
  identity: string,
  { ecosystem, name, version, purl }: IdentifiedPackage,
): boolean {
  const own = packageOf(identity);
  return own.name === name && own.version === version && own.purl === purl && own.ecosystem === ecosystem;
}

/** The key is the list of packages, which is never changed. */
const IDENTITIES = new WeakMap<readonly object[], readonly string[]>();

/** The identities of packages, in their order. Those of a list are made once, because each scan needs them several times. */
export async function identitiesOf(packages: readonly IdentifiedPackage[]): Promise<readonly string[]> {
  const known = IDENTITIES.get(packages);
  if (known !== undefined) return known;
  const identities = await mapInSlices(packages, identityOf);
  IDENTITIES.set(packages, identities);
  return identities;
}

/** The package of an identity in the index's spelling, which may differ from that of a lockfile. */
export function packageOf(identity: string): IdentifiedPackage {
  const colon = identity.indexOf(':');
  const at = identity.lastIndexOf('@');
  const prefix = identity.slice(0, colon);
  const ecosystem = purlTypeOf(prefix as System) || prefix;
  const [name, version] = [identity.slice(colon + 1, at), identity.slice(at + 1)];
  const purl = writePurl(ecosystem, name, version === '' ? undefined : version);
  return { ecosystem, name, version, purl };
}

/** The package of an identity as it is looked up: without what only a lockfile states. */
export function lockedPackageOf(identity: string): LockedPackage {
  return {
    ...packageOf(identity),
    id: identity,
    direct: undefined,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: undefined,
    dependencies: undefined,
  };
}

/** The version key of an identity; none for an ecosystem that the index does not have. */
export function keyOfIdentity(identity: string): VersionKey | readonly [] {
  const colon = identity.indexOf(':');
  const at = identity.lastIndexOf('@');
  const system = SYSTEMS.find((one) => one === identity.slice(0, colon));
  return system === undefined
    ? []
    : { system, name: identity.slice(colon + 1, at), version: identity.slice(at + 1) };
}
