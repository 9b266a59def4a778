import type { JsonObject } from '../../model/json-object.ts';
import { BOM_PROPERTIES, readIntegrity, readSource } from '../../model/lockfile/bom-properties.ts';
import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { withoutCredentials } from '../packages/sources.ts';
import { type SbomEntry, sbomDigest, textOf } from '../sbom/sbom.ts';
import { tablesIn } from '../syntax/parse-toml.ts';

/** The component that the BOM describes, in its `metadata`. */
export interface Subject {
  readonly ref: string;
  readonly purl: string;
}

/** Converts a component to the common model. `inside`: whether it is a part of the subject. */
export function componentEntry(
  component: JsonObject,
  line: number | undefined,
  { subject, inside }: { readonly subject: Subject; readonly inside: boolean },
): SbomEntry {
  const ref = textOf(component['bom-ref']);
  const purl = textOf(component['purl']);
  const group = textOf(component['group']);
  const name = textOf(component['name']);
  const isSubject = (ref !== '' && ref === subject.ref) || (purl !== '' && purl === subject.purl);
  const properties = propertiesOf(component);
  const distribution = tablesIn(component['externalReferences']).find(({ type }) => type === 'distribution');
  const digests = digestsIn(component['hashes']);
  return {
    key: ref || purl || undefined,
    role: isSubject ? 'target' : roleOf(component, purl, inside),
    names: group === '' ? [name] : [`${group}/${name}`, name, `${group}:${name}`],
    version: textOf(component['version']),
    purl: purl || undefined,
    groups: groupsOf(textOf(component['scope']), properties),
    integrity: [
      ...(digests.length > 0 ? digests : digestsIn(distribution?.['hashes'])),
      ...valuesOf(BOM_PROPERTIES.integrity, properties).flatMap((text) => readIntegrity(text) ?? []),
    ],
    source: sourceOf(valuesOf(BOM_PROPERTIES.source, properties)[0]),
    distribution: textOf(distribution?.['url']),
    installScript: valuesOf(BOM_PROPERTIES.installScript, properties).includes('true'),
    line,
  };
}

function roleOf(component: JsonObject, purl: string, inside: boolean): SbomEntry['role'] {
  const type = textOf(component['type']).toLowerCase();
  const isLibrary = type === 'library' || type === 'framework';
  // Tools list workspace members as applications inside the subject.
  if (inside && !isLibrary) return 'target';
  if (purl !== '' || isLibrary || type === '') return 'package';
  // An application with neither a version nor a CPE is a lockfile or folder in which a tool found packages.
  const isNamed = textOf(component['version']) !== '' || textOf(component['cpe']) !== '';
  return type === 'application' && isNamed ? 'package' : 'other';
}

type Properties = readonly (readonly [name: string, value: string])[];

function propertiesOf({ properties }: JsonObject): Properties {
  return tablesIn(properties).map(({ name, value }) => [textOf(name), textOf(value)]);
}

function valuesOf(wanted: string, properties: Properties): readonly string[] {
  return properties.flatMap(([name, value]) => (name === wanted ? value : []));
}

/** Properties of the official taxonomy, which the CycloneDX tools for npm, yarn and Composer write. */
const GROUP_PROPERTY = /^cdx:[a-z]+:package:(?:(development|isDevRequirement)|(bundled))$/;

function groupsOf(scope: string, properties: Properties): readonly Group[] {
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

function digestsIn(hashes: unknown): readonly Integrity[] {
  return tablesIn(hashes).flatMap(({ alg, content }) => sbomDigest(alg, content) ?? []);
}

function sourceOf(stated: string | undefined): Source | undefined {
  const source = stated === undefined ? undefined : readSource(stated);
  return source?.kind === 'path' || source?.url === undefined
    ? source
    : { ...source, url: withoutCredentials(source.url) };
}
