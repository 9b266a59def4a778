import type { Integrity } from '../../model/scan/lockfile.ts';
import type { Sbom, SbomEntry } from '../sbom/sbom.ts';
import { type ExternalReference, purlOfReference } from './external-reference.ts';
import { type Relationship, readRelationships, type SpdxRelations } from './relationships.ts';

/** A package as either notation states it; empty where it does not. */
export interface SpdxPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly purpose: string;
  readonly references: readonly ExternalReference[];
  readonly integrity: readonly Integrity[];
  readonly line: number | undefined;
}

export interface SpdxDocument {
  readonly id: string;
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly Relationship[];
}

/** What has no purl and is none of these could be looked up nowhere, but is a package: it is reported. */
const NO_PACKAGES: ReadonlySet<string> = new Set([
  ...['OPERATING-SYSTEM', 'OPERATING_SYSTEM', 'DEVICE', 'FIRMWARE', 'FILE', 'CONTAINER'],
]);

/** What a document says of packages. */
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
      line: one.line,
    };
  });
  return {
    // The document stands for the target where it depends on packages itself.
    entries: packages.has(document.id) ? entries : [...entries, targetEntry(document.id)],
    dependsOn: relations.dependsOn,
    contains: relations.contains,
    isComplete: relations.dependsOn.size > 0,
    subjects: new Set(described.filter((id) => !targets.has(id))),
  };
}

/**
 * Of what the document describes, the target itself: the one that is described, where there are other packages and it
 * brings these or cannot be looked up; of several, those that do both.
 */
function targetsOf(
  described: readonly string[],
  packages: ReadonlyMap<string, string | undefined>,
  { dependsOn, contains }: SpdxRelations,
): ReadonlySet<string> {
  const [first, ...others] = described.filter((id) => packages.has(id));
  if (first === undefined) return new Set();
  const hasPurl = (id: string) => packages.get(id) !== undefined;
  const bringsOthers = (id: string) => dependsOn.has(id) || contains.has(id);
  if (others.length === 0) {
    return new Set(packages.size > 1 && (!hasPurl(first) || bringsOthers(first)) ? [first] : []);
  }
  return new Set([first, ...others].filter((id) => !hasPurl(id) && bringsOthers(id)));
}

function roleOf(
  { id, purpose, version, references }: SpdxPackage,
  purl: string | undefined,
  known: { readonly packages: ReadonlyMap<string, string | undefined>; readonly relations: SpdxRelations },
): 'package' | 'other' {
  if (purl !== undefined) return 'package';
  // A copy of what has a purl is accounted for by that.
  const isCopy = known.relations.copies.get(id)?.some((other) => known.packages.get(other) !== undefined);
  if (isCopy === true || NO_PACKAGES.has(purpose.toUpperCase())) return 'other';
  // An application without a version or a name in the vulnerability database is a lockfile that something was found in.
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
