import type { Integrity, Problem } from '../../model/lockfile.ts';
import { LockfileError } from '../errors.ts';
import { type LineNode, lineNodes, type Wanted } from '../json-lines.ts';
import { isJsonObject, type JsonObject } from '../parse-json.ts';
import type { Sbom, SbomEntry } from '../sbom.ts';
import { sbomDigest } from '../sbom-digest.ts';
import { addRelation } from '../sbom-relations.ts';
import { type Component, componentEntry, isTelling, type Subject } from './component.ts';

/** Components hold components. */
const MAX_DEPTH = 250;
const COMPONENT: { members: { components: Wanted } } = { members: { components: {} } };
COMPONENT.members.components = { each: COMPONENT };
const WANTED: Wanted = { members: { ...COMPONENT.members, metadata: { members: { component: COMPONENT } } } };

/** What a BOM says of packages; throws `LockfileError` (`too-deep`). */
export function readBom(
  root: JsonObject,
  text: string,
  path: string,
): Sbom & { problems: readonly Problem[] } {
  const lines = lineNodes(text, WANTED);
  const { components, metadata, dependencies } = root;
  const about = isJsonObject(metadata) && isJsonObject(metadata['component']) ? metadata['component'] : {};
  const aboutLines = lines?.members?.get('metadata')?.members?.get('component');
  const subject = { ref: textOf(about['bom-ref']), purl: textOf(about['purl']) };
  const entries: SbomEntry[] = [];
  if (subject.ref !== '' || subject.purl !== '')
    entries.push(componentEntry(readComponent(about, aboutLines?.line), subject, true));
  const problems: Problem[] = [];
  const walk = { entries, problems, subject, path };
  addComponents(components, lines?.members?.get('components'), { ...walk, inside: false, depth: 1 });
  addComponents(about['components'], aboutLines?.members?.get('components'), {
    ...walk,
    inside: true,
    depth: 1,
  });
  return {
    entries,
    problems,
    dependsOn: readDependencies(dependencies),
    contains: new Map(),
    isComplete: false,
    subjects: new Set(),
  };
}

interface Walk {
  readonly entries: SbomEntry[];
  readonly problems: Problem[];
  readonly subject: Subject;
  readonly path: string;
  readonly inside: boolean;
  readonly depth: number;
}

/** Adds components with all that are in them, in the order of the text. */
function addComponents(components: unknown, lines: LineNode | undefined, walk: Walk): void {
  if (!Array.isArray(components)) return;
  if (walk.depth > MAX_DEPTH) {
    throw new LockfileError('too-deep', `${walk.path}: components nest more than ${MAX_DEPTH} levels deep`);
  }
  let index = 0;
  for (const component of components) {
    if (!isJsonObject(component)) {
      walk.problems.push({ line: undefined, message: 'a component is not an object' });
      continue;
    }
    const node = lines?.elements?.[index++];
    walk.entries.push(componentEntry(readComponent(component, node?.line), walk.subject, walk.inside));
    const inner = component['components'];
    if (inner !== undefined)
      addComponents(inner, node?.members?.get('components'), { ...walk, depth: walk.depth + 1 });
  }
}

function readComponent(component: JsonObject, line: number | undefined): Component {
  const { type, group, name, version, purl, scope, cpe, hashes, externalReferences, properties } =
    component as Partial<Record<string, unknown>>;
  return {
    type: textOf(type).toLowerCase(),
    group: textOf(group),
    name: textOf(name),
    version: textOf(version),
    purl: textOf(purl),
    ref: textOf(component['bom-ref']),
    scope: textOf(scope),
    cpe: textOf(cpe),
    properties: propertiesOf(properties),
    integrity: integrityOf(hashes, externalReferences),
    line,
  };
}

/** Digests of the component, else those of where it is distributed from. */
function integrityOf(hashes: unknown, references: unknown): readonly Integrity[] {
  if (Array.isArray(hashes) && hashes.length > 0) return hashes.flatMap(digestOf);
  if (!Array.isArray(references)) return NO_DIGESTS;
  const distribution = references.find((one) => isJsonObject(one) && one['type'] === 'distribution');
  return Array.isArray(distribution?.hashes) ? distribution.hashes.flatMap(digestOf) : NO_DIGESTS;
}

const NO_DIGESTS: readonly Integrity[] = [];

function digestOf(hash: unknown): readonly Integrity[] {
  return isJsonObject(hash) ? sbomDigest(hash['alg'], hash['content']) : NO_DIGESTS;
}

const NO_PROPERTIES: Component['properties'] = [];

function propertiesOf(properties: unknown): Component['properties'] {
  if (!Array.isArray(properties)) return NO_PROPERTIES;
  let telling: (readonly [string, string])[] | undefined;
  for (const property of properties) {
    if (!isJsonObject(property)) continue;
    const name = property['name'];
    if (typeof name !== 'string' || !isTelling(name)) continue;
    telling ??= [];
    telling.push([name, textOf(property['value'])]);
  }
  return telling ?? NO_PROPERTIES;
}

function readDependencies(stated: unknown): Map<string, string[]> {
  const dependencies = new Map<string, string[]>();
  for (const one of Array.isArray(stated) ? stated : []) {
    if (!isJsonObject(one)) continue;
    const { ref, dependsOn } = one as Partial<Record<string, unknown>>;
    if (typeof ref !== 'string') continue;
    const keys = Array.isArray(dependsOn) ? dependsOn.filter((key) => typeof key === 'string') : [];
    addRelation(dependencies, ref, keys);
  }
  return dependencies;
}

/** Text, also where a tool writes a number for it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
