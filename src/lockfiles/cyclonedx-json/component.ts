import { BOM_PROPERTIES, readIntegrity, readSource } from '../../model/lockfile/bom-properties.ts';
import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { withoutCredentials } from '../packages/sources.ts';
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
  /** The properties for which `isWantedProperty` is true. */
  readonly properties: readonly (readonly [name: string, value: string])[];
  readonly integrity: readonly Integrity[];
  /** URL of its distribution. */
  readonly distribution: string;
  readonly line: number | undefined;
}

/** The component that the BOM describes, in its `metadata`. */
export type Subject = Pick<Component, 'ref' | 'purl'>;

/** Converts a component to the common model. `inside`: whether it is a part of the subject. */
export function componentEntry(component: Component, subject: Subject, inside: boolean): SbomEntry {
  const { purl, ref, name, group, version, line } = component;
  return {
    key: ref || purl || undefined,
    role: roleOf(component, subject, inside),
    names: group === '' ? [name] : [`${group}/${name}`, name, `${group}:${name}`],
    version,
    purl: purl || undefined,
    groups: groupsOf(component),
    integrity: integrityOf(component),
    source: sourceOf(component),
    distribution: component.distribution,
    installScript: component.properties.some(
      ([name, value]) => name === BOM_PROPERTIES.installScript && value === 'true',
    ),
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

const OWN_PROPERTIES: ReadonlySet<string> = new Set(Object.values(BOM_PROPERTIES));

/** Whether a property states a fact that is read: the group of a package, or what Lockhound writes itself. */
export function isWantedProperty(property: string): boolean {
  if (property.startsWith('cdx:')) return GROUP_PROPERTY.test(property);
  return property.startsWith('lockhound:') && OWN_PROPERTIES.has(property);
}

function groupsOf({ scope, properties }: Component): readonly Group[] {
  if (properties.length === 0 && scope !== 'optional' && scope !== 'excluded') return NO_GROUPS;
  const groups = new Set<Group>();
  for (const [name, value] of properties) {
    const [, isDevelopment, isBundled] = GROUP_PROPERTY.exec(name) ?? [];
    if (name === BOM_PROPERTIES.group && value !== '') groups.add(value);
    else if (value !== 'true' && value !== '1') continue;
    else if (isDevelopment !== undefined) groups.add('dev');
    else if (isBundled !== undefined) groups.add('bundled');
  }
  // Tools also give packages of development a scope: `npm sbom` and cdxgen `optional`, pnpm `excluded`.
  if ((scope === 'optional' || scope === 'excluded') && !groups.has('dev')) groups.add(scope);
  return [...groups].sort();
}

function integrityOf({ integrity, properties }: Component): readonly Integrity[] {
  const own = properties.filter(([name]) => name === BOM_PROPERTIES.integrity);
  if (own.length === 0) return integrity;
  return [...integrity, ...own.flatMap(([, value]) => readIntegrity(value) ?? [])];
}

function sourceOf({ properties }: Component): Source | undefined {
  const stated = properties.find(([name]) => name === BOM_PROPERTIES.source)?.[1];
  const source = stated === undefined ? undefined : readSource(stated);
  return source?.kind === 'path' || source?.url === undefined
    ? source
    : { ...source, url: withoutCredentials(source.url) };
}
