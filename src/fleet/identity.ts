import {
  canonicalName,
  canonicalVersion,
  formatVersionKey,
  purlTypeOf,
  registryPackage,
  SYSTEMS,
  type System,
  systemOf,
  type VersionKey,
  writePurl,
} from '../model/lockfile/ecosystem.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';

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
  return registryPackage({ ...packageOf(identity), id: identity });
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
