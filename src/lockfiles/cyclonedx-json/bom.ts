import type { Integrity, Problem } from '../../model/scan/lockfile.ts';
import { LockfileError } from '../errors.ts';
import { ProblemList } from '../packages/problem-list.ts';
import type { Sbom, SbomEntry } from '../sbom/sbom.ts';
import { sbomDigest } from '../sbom/sbom-digest.ts';
import { addRelation, type Relations } from '../sbom/sbom-relations.ts';
import { elementLines } from '../syntax/json-element-lines.ts';
import { type LineNode, lineNodes, type Wanted } from '../syntax/json-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';
import { type Component, componentEntry, isTelling, type Subject } from './component.ts';

/** Components hold components. */
const MAX_DEPTH = 250;
/** Components that are parts of what the BOM is about; there are few. */
const PARTS: { members: Record<string, Wanted> } = { members: {} };
PARTS.members['components'] = { each: PARTS };
const SUBJECT: Wanted = { members: { metadata: { members: { component: PARTS } } } };

/** What a BOM says of packages; throws `LockfileError` (`too-deep`). */
export function readBom(
  root: JsonObject,
  text: string,
  path: string,
): Sbom & { problems: readonly Problem[] } {
  const { components, metadata, dependencies } = root;
  const about =
    isJsonObject(metadata) && isJsonObject(metadata['component']) ? metadata['component'] : undefined;
  const subject = { ref: textOf(about?.['bom-ref']), purl: textOf(about?.['purl']) };
  const entries: SbomEntry[] = [];
  const problems = new ProblemList();
  const walk = { entries, problems, subject, path };
  if (about !== undefined) entries.push(componentEntry(readComponent(about, undefined), subject, true));
  addComponents(components, (list) => elementLines(text, 'components', list), { ...walk, inside: false });
  addComponents(about?.['components'], () => partLines(text), { ...walk, inside: true });
  return {
    entries,
    problems: problems.all(),
    dependsOn: readDependencies(dependencies),
    contains: new Map(),
    isComplete: false,
    subjects: new Set(),
  };
}

function partLines(text: string): LineNode | undefined {
  const metadata = lineNodes(text, SUBJECT)?.members?.get('metadata');
  return metadata?.members?.get('component')?.members?.get('components');
}

interface Walk {
  readonly entries: SbomEntry[];
  readonly problems: ProblemList;
  readonly subject: Subject;
  readonly path: string;
  readonly inside: boolean;
}

function addComponents(
  components: unknown,
  linesOf: (list: readonly unknown[]) => LineNode | undefined,
  walk: Walk,
): void {
  if (!Array.isArray(components)) return;
  checkDepth(components, walk.path);
  addList(components, linesOf(components), walk);
}

/** Adds components with all that are in them, in the order of the text. */
function addList(components: readonly unknown[], lines: LineNode | undefined, walk: Walk): void {
  let index = 0;
  for (const component of components) {
    if (!isJsonObject(component)) {
      walk.problems.add(undefined, 'a component is not an object');
      continue;
    }
    const node = lines?.elements?.[index++];
    walk.entries.push(componentEntry(readComponent(component, node?.line), walk.subject, walk.inside));
    const inner = component['components'];
    if (Array.isArray(inner)) addList(inner, node?.members?.get('components'), walk);
  }
}

/** Throws `LockfileError` when components nest deeper than anything does that is assembled. */
function checkDepth(components: readonly unknown[], path: string): void {
  let level: readonly unknown[] = components;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      throw new LockfileError('too-deep', `${path}: components nest more than ${MAX_DEPTH} levels deep`);
    }
    level = level.flatMap((one) => {
      const inner = isJsonObject(one) ? one['components'] : undefined;
      return Array.isArray(inner) ? inner : NOTHING;
    });
  }
}

const NOTHING: readonly unknown[] = [];

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
  const own = digestsIn(hashes);
  if (own.length > 0 || !Array.isArray(references)) return own;
  const distribution = references.find((one) => isJsonObject(one) && one['type'] === 'distribution');
  return digestsIn(distribution?.hashes);
}

const NO_DIGESTS: readonly Integrity[] = [];

function digestsIn(hashes: unknown): readonly Integrity[] {
  if (!Array.isArray(hashes) || hashes.length === 0) return NO_DIGESTS;
  const digests: Integrity[] = [];
  for (const hash of hashes) {
    const digest = isJsonObject(hash) ? sbomDigest(hash['alg'], hash['content']) : undefined;
    if (digest !== undefined) digests.push(digest);
  }
  return digests;
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

function readDependencies(stated: unknown): Relations {
  const dependencies = new Map<string, string[]>();
  for (const one of Array.isArray(stated) ? stated : []) {
    if (!isJsonObject(one)) continue;
    const { ref, dependsOn } = one as Partial<Record<string, unknown>>;
    if (typeof ref !== 'string') continue;
    addRelation(dependencies, ref, Array.isArray(dependsOn) ? dependsOn.filter(isText) : []);
  }
  return dependencies;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Text, also where a tool writes a number for it. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
