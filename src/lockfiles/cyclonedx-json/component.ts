import type { Group, Integrity } from '../../model/scan/lockfile.ts';
import type { SbomEntry } from '../sbom/sbom.ts';

/** A component as either notation states it; empty where it does not. */
export interface Component {
  readonly type: string;
  readonly group: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly ref: string;
  readonly scope: string;
  readonly cpe: string;
  /** Names and values of the properties that `isTelling`. */
  readonly properties: readonly (readonly [name: string, value: string])[];
  readonly integrity: readonly Integrity[];
  readonly line: number | undefined;
}

/** The component that the BOM is about, in its `metadata`. */
export type Subject = Pick<Component, 'ref' | 'purl'>;

/** What a component is to the scan; `inside` the one that the BOM is about, it is one of its parts. */
export function componentEntry(component: Component, subject: Subject, inside: boolean): SbomEntry {
  const { purl, ref, name, group, version, integrity, line } = component;
  return {
    key: ref || purl || undefined,
    role: roleOf(component, subject, inside),
    names: group === '' ? [name] : [`${group}/${name}`, name, `${group}:${name}`],
    version,
    purl: purl || undefined,
    groups: groupsOf(component),
    integrity,
    line,
  };
}

function roleOf({ type, ref, purl, version, cpe }: Component, subject: Subject, inside: boolean) {
  if ((ref !== '' && ref === subject.ref) || (purl !== '' && purl === subject.purl)) return 'target';
  const isLibrary = type === 'library' || type === 'framework';
  // Tools put workspace members there, as applications.
  if (inside && !isLibrary) return 'target';
  if (purl !== '' || isLibrary || type === '') return 'package';
  // An application without all of these is a lockfile or a folder that something was found in.
  return type === 'application' && (version !== '' || cpe !== '') ? 'package' : 'other';
}

const NO_GROUPS: readonly Group[] = [];
/** The official taxonomy of properties, as the CycloneDX tools for npm, yarn and Composer write them. */
const TELLING = /^cdx:[a-z]+:package:(?:(development|isDevRequirement)|(bundled))$/;

/** Whether a property says something of how a package is installed. */
export function isTelling(property: string): boolean {
  return property.startsWith('cdx:') && TELLING.test(property);
}

function groupsOf({ scope, properties }: Component): readonly Group[] {
  if (properties.length === 0 && scope !== 'optional' && scope !== 'excluded') return NO_GROUPS;
  const groups = new Set<Group>();
  for (const [name, value] of properties) {
    const [, isDevelopment] = TELLING.exec(name) ?? [];
    if (value === 'true' || value === '1') groups.add(isDevelopment === undefined ? 'bundled' : 'dev');
  }
  if (scope === 'optional' || scope === 'excluded') groups.add(scope);
  return [...groups].sort();
}
