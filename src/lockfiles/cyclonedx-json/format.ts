import { isObject, type JsonObject } from '../../model/json-object.ts';
import { BOM_PROPERTIES, readIntegrity, readSource } from '../../model/lockfile/bom-properties.ts';
import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { LockfileError, shownValue, unsupported } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { withoutCredentials } from '../packages/sources.ts';
import type { Relations, Sbom, SbomEntry } from '../sbom/sbom.ts';
import { addPackages, addRelation, sbomDigest, textOf } from '../sbom/sbom.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { tableIn, tablesIn, textsIn } from '../syntax/parse-toml.ts';

/** CycloneDX in JSON. */
export const cyclonedxJson: Format = {
  name: 'cyclonedx-json',
  title: 'CycloneDX SBOM in JSON (1.2 to 1.7)',
  ecosystem: undefined,
  fileNames: ['bom.json', '*.cdx.json', '*.cyclonedx.json'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  recognises: (head) => /^\s*\{/.test(head) && /"bomFormat"\s*:\s*"CycloneDX"/.test(head),
  read(input, builder) {
    const { path } = input;
    const { root, lines } = parseJsonLines(input, 'a CycloneDX BOM', WANTED);
    check(root, path);
    addPackages(readBom(root, { lines: lines?.members, path }, builder), builder);
    const madeFrom = isOwn(root) ? lockfilesIn(root['components']) : [];
    if (madeFrom.length > 0) builder.state({ madeFrom });
  },
};

function isOwn({ metadata }: JsonObject): boolean {
  const tools = tableIn(tableIn(metadata)['tools'])['components'];
  return tablesIn(tools).some(({ name }) => name === 'Lockhound');
}

/** The paths of the lockfiles that an SBOM of Lockhound was made from: they are components of it. */
function lockfilesIn(components: unknown): readonly string[] {
  return tablesIn(components).flatMap(({ type, name, 'bom-ref': ref }) =>
    type === 'application' && typeof name === 'string' && ref === `lockfile/${name}` ? name : [],
  );
}

function check({ bomFormat, specVersion }: JsonObject, path: string): void {
  if (bomFormat !== 'CycloneDX') {
    throw new LockfileError(
      'wrong-format',
      `${path}: not a CycloneDX BOM: its \`bomFormat\` is not "CycloneDX"`,
    );
  }
  if (specVersion === undefined || (typeof specVersion === 'string' && /^1\.\d+$/.test(specVersion))) return;
  throw unsupported(path, `CycloneDX ${shownValue(specVersion)}`, '1.x');
}

/** Components in components. */
const MAX_DEPTH = 250;
const PARTS: { members: Record<string, Wanted> } = { members: {} };
PARTS.members['components'] = { each: PARTS };
const WANTED: Wanted = { members: { ...PARTS.members, metadata: { members: { component: PARTS } } } };

/**
 * Converts a BOM to the common model. `lines`: those of its components. Reports malformed components to `builder`. Throws `LockfileError`
 * (`too-deep`).
 */
export function readBom(
  { components, metadata, dependencies }: JsonObject,
  { lines, path }: { readonly lines: LineNode['members']; readonly path: string },
  builder: LockfileBuilder,
): Sbom {
  const stated = tableIn(metadata)['component'];
  const about = isObject(stated) ? stated : undefined;
  const node = lines?.get('metadata')?.members?.get('component');
  const subject = { ref: textOf(about?.['bom-ref']), purl: textOf(about?.['purl']) };
  const entries: SbomEntry[] = [];
  const walk = { entries, builder, subject, path };
  if (about !== undefined) entries.push(componentEntry(about, node?.line, { subject, inside: true }));
  addComponents(components, lines?.get('components'), { ...walk, inside: false });
  addComponents(about?.['components'], node?.members?.get('components'), { ...walk, inside: true });
  return { entries, dependsOn: readDependencies(dependencies) };
}

interface Walk {
  readonly entries: SbomEntry[];
  readonly builder: LockfileBuilder;
  readonly subject: Subject;
  readonly path: string;
  readonly inside: boolean;
}

/** Adds components and the components in them, in the order of the text. Throws `LockfileError` when they nest too deep. */
function addComponents(components: unknown, lines: LineNode | undefined, walk: Walk, depth = 0): void {
  if (!Array.isArray(components) || components.length === 0) return;
  if (depth > MAX_DEPTH) {
    throw new LockfileError('too-deep', `${walk.path}: components nest more than ${MAX_DEPTH} levels deep`);
  }
  let index = 0;
  for (const component of components) {
    if (!isObject(component)) {
      walk.builder.problem(undefined, 'a component is not an object');
      continue;
    }
    const node = lines?.elements?.[index++];
    walk.entries.push(componentEntry(component, node?.line, walk));
    addComponents(component['components'], node?.members?.get('components'), walk, depth + 1);
  }
}

function readDependencies(stated: unknown): Relations {
  const dependencies = new Map<string, string[]>();
  for (const { ref, dependsOn } of tablesIn(stated)) {
    if (typeof ref === 'string') addRelation(dependencies, ref, [...textsIn(dependsOn)]);
  }
  return dependencies;
}

/** The component that the BOM describes, in its `metadata`. */
interface Subject {
  readonly ref: string;
  readonly purl: string;
}

/** Converts a component to the common model. `inside`: whether it is a part of the subject. */
function componentEntry(
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
