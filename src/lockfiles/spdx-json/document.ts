import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { LockfileError, unsupported } from '../errors.ts';
import { buildPurl, type PurlParts } from '../packages/purl.ts';
import type { Sbom, SbomEntry } from '../sbom/sbom.ts';
import { type Relationship, readRelationships, type SpdxRelations } from './relationships.ts';

/** A package of either notation. Absent fields are empty. */
export interface SpdxPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly purpose: string;
  readonly references: readonly ExternalReference[];
  readonly integrity: readonly Integrity[];
  /** URL, or SPDX's words for an unknown one. */
  readonly downloadLocation: string;
  readonly line: number | undefined;
}

export interface SpdxDocument {
  readonly id: string;
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly Relationship[];
}

/** Purposes of elements that are not packages. Any other element without a purl is reported as a problem. */
const NO_PACKAGES: ReadonlySet<string> = new Set([
  ...['OPERATING-SYSTEM', 'OPERATING_SYSTEM', 'DEVICE', 'FIRMWARE', 'FILE', 'CONTAINER'],
]);

/** Converts a document to the common model. */
export function spdxSbom(document: SpdxDocument): Sbom {
  const relations = readRelationships(document.relationships);
  const found = document.packages.map((one) => ({ one, purl: purlOf(one) }));
  const packages = new Map(found.map(({ one, purl }) => [one.id, purl]));
  const described = relations.described.filter((id) => id !== document.id || packages.size > 1);
  const targets = targetsOf(described, packages, relations);
  const entries = found.map(({ one, purl }): SbomEntry => {
    return {
      key: one.id || undefined,
      role: targets.has(one.id) ? 'target' : roleOf(one, purl, { packages, relations }),
      names: [one.name],
      version: one.version,
      purl,
      groups: relations.groups.get(one.id) ?? [],
      integrity: one.integrity,
      distribution: one.downloadLocation,
      line: one.line,
    };
  });
  return {
    // Some tools state the dependencies of the target as those of the document.
    entries: packages.has(document.id) ? entries : [...entries, targetEntry(document.id)],
    dependsOn: relations.dependsOn,
    contains: relations.contains,
    isComplete: relations.dependsOn.size > 0,
    subjects: new Set(described.filter((id) => !targets.has(id))),
  };
}

/**
 * The elements that are the target, among the described ones. A single one is the target when there are other packages and
 * it has relations to these or has no purl. Of several, those with relations and without a purl are.
 */
function targetsOf(
  described: readonly string[],
  packages: ReadonlyMap<string, string | undefined>,
  { dependsOn, contains }: SpdxRelations,
): ReadonlySet<string> {
  const [first, ...others] = described.filter((id) => packages.has(id));
  if (first === undefined) return new Set();
  const hasPurl = (id: string) => packages.get(id) !== undefined;
  const hasRelations = (id: string) => dependsOn.has(id) || contains.has(id);
  if (others.length === 0) {
    return new Set(packages.size > 1 && (!hasPurl(first) || hasRelations(first)) ? [first] : []);
  }
  return new Set([first, ...others].filter((id) => !hasPurl(id) && hasRelations(id)));
}

function roleOf(
  { id, purpose, version, references }: SpdxPackage,
  purl: string | undefined,
  known: { readonly packages: ReadonlyMap<string, string | undefined>; readonly relations: SpdxRelations },
): 'package' | 'other' {
  if (purl !== undefined) return 'package';
  // A copy of an element with a purl is represented by that element.
  const isCopy = known.relations.copies.get(id)?.some((other) => known.packages.get(other) !== undefined);
  if (isCopy === true || NO_PACKAGES.has(purpose.toUpperCase())) return 'other';
  // An application with neither a version nor a CPE is a lockfile in which a tool found packages.
  const isLockfile =
    purpose === 'APPLICATION' && version === '' && !references.some(({ type }) => type.startsWith('cpe'));
  return isLockfile ? 'other' : 'package';
}

function purlOf({ references }: SpdxPackage): string | undefined {
  for (const reference of references) {
    const purl = purlOfReference(reference);
    if (purl !== undefined) return purl;
  }
  return undefined;
}

function targetEntry(key: string): SbomEntry {
  return {
    key,
    role: 'target',
    names: [],
    version: '',
    purl: undefined,
    groups: [],
    integrity: [],
    line: undefined,
  };
}

/** An identifier of a package in another system. */
export interface ExternalReference {
  readonly type: string;
  readonly locator: string;
}

/** Parsers for the older types of package references (SPDX 2.3, annex F.3). */
const PATTERNS: ReadonlyMap<string, (locator: string) => PurlParts | undefined> = new Map([
  ['maven-central', mavenParts],
  ['npm', npmParts],
  ['nuget', nugetParts],
]);

/** The purl of a reference. Its type can be a URI. */
function purlOfReference({ type, locator }: ExternalReference): string | undefined {
  const name = type.slice(type.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'purl' || name === 'package-url') return locator === '' ? undefined : locator;
  const parts = PATTERNS.get(name)?.(locator);
  try {
    return parts && buildPurl(parts);
  } catch {
    // packageurl-js refuses the parts: the reference is ignored, as those of other types are.
    return undefined;
  }
}

/** `group:artifact[:version]` */
function mavenParts(locator: string): PurlParts | undefined {
  const [namespace, name, version = ''] = locator.split(':');
  return namespace && name ? { type: 'maven', namespace, name, version } : undefined;
}

/** `name@version`, with or without a scope */
function npmParts(locator: string): PurlParts | undefined {
  const [, namespace, name, version] = /^(?:(@[^/@]+)\/)?([^/@]+)@([^/@]+)$/.exec(locator) ?? [];
  return name && version ? { type: 'npm', namespace, name, version } : undefined;
}

/** `name/version` */
function nugetParts(locator: string): PurlParts | undefined {
  const [name, version, ...more] = locator.split('/');
  return name && version && more.length === 0 ? { type: 'nuget', name, version } : undefined;
}

/** Throws `LockfileError` (`wrong-format`, `unsupported-version`) unless the version is 2.x. */
export function checkSpdxVersion(version: string, path: string): void {
  if (/^SPDX-2\.\d+$/.test(version)) return;
  const shown = JSON.stringify(version.slice(0, 40));
  if (/^SPDX-\d/.test(version)) throw unsupported(path, `version ${shown}`, 'SPDX-2.x');
  throw new LockfileError('wrong-format', `${path}: ${shown} is not a version of SPDX`);
}
