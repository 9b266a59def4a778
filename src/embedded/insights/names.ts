import valid from 'semver/functions/valid.js';
import type { System, VersionKey } from '../../model/lockfile/ecosystem.ts';
import {
  canonicalName,
  isApiSystem,
  purlTypeOf,
  systemOf,
  writePurl,
} from '../../model/lockfile/ecosystem.ts';

/** The package, or the version of a package, that a purl names. */
export type ParsedPurl = Pick<VersionKey, 'system' | 'name'> & { readonly version: string | undefined };

/** Versions of npm that are spelled as semver spells them: nearly all, without a prerelease. */
const PLAIN_SEMVER = /^(?:0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14})\.(?:0|[1-9]\d{0,14})$/;

/** The version as the index has it: `3.0` of a Python package is `3.0.0`. */
export function canonicalVersion(system: System, version: string): string {
  if (system === 'NPM') return PLAIN_SEMVER.test(version) ? version : (valid(version) ?? version);
  if (system !== 'PYPI' || !/^\d+(?:\.\d+)?$/.test(version)) return version;
  return version.includes('.') ? `${version}.0` : `${version}.0.0`;
}

export function canonicalKey({ system, name, version }: VersionKey): VersionKey {
  return { system, name: canonicalName(name, system), version: canonicalVersion(system, version) };
}

/** The purl of a package, or of a version of it. */
export function purlOf({
  system,
  name,
  version,
}: Omit<ParsedPurl, 'version'> & { version?: string }): string {
  return writePurl(purlTypeOf(system), name, version);
}

/**
 * Reads a purl as the service does: without qualifiers or subpath, and only of known types. Names of Go modules become
 * lower case, as in the purl specification, so modules with capitals are not found (field notes).
 */
export function parsePurl(text: string): ParsedPurl | undefined {
  const match = /^pkg:\/*([A-Za-z][\w.+-]*)\/+([^/?#][^?#]*)$/.exec(text);
  const [, type = '', rest = ''] = match ?? [];
  const system = systemOf(type.toLowerCase());
  if (!isApiSystem(system)) return undefined;
  const at = rest.lastIndexOf('@');
  const versioned = at > rest.lastIndexOf('/') + 1 || (at > 0 && !rest.includes('/'));
  try {
    const path = (versioned ? rest.slice(0, at) : rest).split('/').map(decodeURIComponent);
    if (path.some((segment) => segment === '')) return undefined;
    const name = path.join(system === 'MAVEN' ? ':' : '/');
    const version = versioned ? decodeURIComponent(rest.slice(at + 1)) : undefined;
    if (version === '') return undefined;
    return { system, name: system === 'GO' ? name.toLowerCase() : canonicalName(name, system), version };
  } catch {
    return undefined;
  }
}

/** The key of a package in maps. `name`: in canonical form. */
export function packageId(system: System, name: string): string {
  return `${system}:${name}`;
}
