import type { Group, Integrity } from '../../model/scan/lockfile.ts';
import type { SbomEntry } from '../sbom/sbom.ts';

/** A component of either notation. Absent fields are empty. */
export interface Component {
  readonly type: string;
  readonly group: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly ref: string;
  readonly scope: string;
  readonly cpe: string;
  /** The properties for which `isGroupProperty` is true. */
  readonly properties: readonly (readonly [name: string, value: string])[];
  readonly integrity: readonly Integrity[];
  readonly line: number | undefined;
}

/** The component that the BOM describes, in its `metadata`. */
export type Subject = Pick<Component, 'ref' | 'purl'>;

/** Converts a component to the common model. `inside`: whether it is a part of the subject. */
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
  // Tools list workspace members as applications inside the subject.
  if (inside && !isLibrary) return 'target';
  if (purl !== '' || isLibrary || type === '') return 'package';
  // An application with neither a version nor a CPE is a lockfile or folder in which a tool found packages.
  return type === 'application' && (version !== '' || cpe !== '') ? 'package' : 'other';
}

const NO_GROUPS: readonly Group[] = [];
/** Properties of the official taxonomy, which the CycloneDX tools for npm, yarn and Composer write. */
const GROUP_PROPERTY = /^cdx:[a-z]+:package:(?:(development|isDevRequirement)|(bundled))$/;

/** Whether a property says in which group a package is. */
export function isGroupProperty(property: string): boolean {
  return property.startsWith('cdx:') && GROUP_PROPERTY.test(property);
}

function groupsOf({ scope, properties }: Component): readonly Group[] {
  if (properties.length === 0 && scope !== 'optional' && scope !== 'excluded') return NO_GROUPS;
  const groups = new Set<Group>();
  for (const [name, value] of properties) {
    const [, isDevelopment] = GROUP_PROPERTY.exec(name) ?? [];
    if (value === 'true' || value === '1') groups.add(isDevelopment === undefined ? 'bundled' : 'dev');
  }
  if (scope === 'optional' || scope === 'excluded') groups.add(scope);
  return [...groups].sort();
}
