import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages, addRelation, type Relations, type Sbom, type SbomEntry } from '../sbom/sbom.ts';
import { sbomDigest, textOf } from '../sbom/values.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { textsIn } from '../syntax/parse-toml.ts';
import { type Component, componentEntry, isWantedProperty, type Subject } from './component.ts';

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
  const tools =
    isObject(metadata) && isObject(metadata['tools']) ? metadata['tools']['components'] : undefined;
  return Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool['name'] === 'Lockhound');
}

/** The paths of the lockfiles that an SBOM of Lockhound was made from: they are components of it. */
function lockfilesIn(components: unknown): readonly string[] {
  if (!Array.isArray(components)) return [];
  return components.flatMap((one) => {
    const path = isObject(one) && one['type'] === 'application' ? one['name'] : undefined;
    return typeof path === 'string' && isObject(one) && one['bom-ref'] === `lockfile/${path}` ? [path] : [];
  });
}

function check({ bomFormat, specVersion }: JsonObject, path: string): void {
  if (bomFormat !== 'CycloneDX') {
    throw new LockfileError(
      'wrong-format',
      `${path}: not a CycloneDX BOM: its \`bomFormat\` is not "CycloneDX"`,
    );
  }
  if (specVersion === undefined || (typeof specVersion === 'string' && /^1\.\d+$/.test(specVersion))) return;
  throw new LockfileError(
    'unsupported-version',
    `${path}: CycloneDX ${JSON.stringify(specVersion).slice(0, 40)} is not supported; supported: 1.x`,
  );
}

/** Components in components. */
const MAX_DEPTH = 250;
const PARTS: { members: Record<string, Wanted> } = { members: {} };
PARTS.members['components'] = { each: PARTS };
const WANTED: Wanted = { members: { ...PARTS.members, metadata: { members: { component: PARTS } } } };

/** Converts a BOM to the common model. Reports malformed components to `builder`. Throws `LockfileError` (`too-deep`). */
function readBom(
  root: JsonObject,
  { lines, path }: { readonly lines: LineNode['members']; readonly path: string },
  builder: LockfileBuilder,
): Sbom {
  const { components, metadata, dependencies } = root;
  const about = isObject(metadata) && isObject(metadata['component']) ? metadata['component'] : undefined;
  const subject = { ref: textOf(about?.['bom-ref']), purl: textOf(about?.['purl']) };
  const entries: SbomEntry[] = [];
  const walk = { entries, builder, subject, path };
  if (about !== undefined) entries.push(componentEntry(readComponent(about, undefined), subject, true));
  addComponents(components, lines?.get('components'), { ...walk, inside: false });
  const parts = lines?.get('metadata')?.members?.get('component')?.members?.get('components');
  addComponents(about?.['components'], parts, { ...walk, inside: true });
  return {
    entries,
    dependsOn: readDependencies(dependencies),
    contains: new Map(),
    isComplete: false,
    subjects: new Set(),
  };
}

interface Walk {
  readonly entries: SbomEntry[];
  readonly builder: LockfileBuilder;
  readonly subject: Subject;
  readonly path: string;
  readonly inside: boolean;
}

function addComponents(components: unknown, lines: LineNode | undefined, walk: Walk): void {
  if (!Array.isArray(components)) return;
  checkDepth(components, walk.path);
  addList(components, lines, walk);
}

/** Adds components and the components in them, in the order of the text. */
function addList(components: readonly unknown[], lines: LineNode | undefined, walk: Walk): void {
  let index = 0;
  for (const component of components) {
    if (!isObject(component)) {
      walk.builder.problem(undefined, 'a component is not an object');
      continue;
    }
    const node = lines?.elements?.[index++];
    walk.entries.push(componentEntry(readComponent(component, node?.line), walk.subject, walk.inside));
    const inner = component['components'];
    if (Array.isArray(inner)) addList(inner, node?.members?.get('components'), walk);
  }
}

/** Throws `LockfileError` when components nest too deep. */
function checkDepth(components: readonly unknown[], path: string): void {
  let level: readonly unknown[] = components;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      throw new LockfileError('too-deep', `${path}: components nest more than ${MAX_DEPTH} levels deep`);
    }
    level = level.flatMap((one) => {
      const inner = isObject(one) ? one['components'] : undefined;
      return Array.isArray(inner) ? inner : NOTHING;
    });
  }
}

const NOTHING: readonly unknown[] = [];

function readComponent(component: JsonObject, line: number | undefined): Component {
  const { type, group, name, version, purl, scope, cpe, hashes, externalReferences, properties } = component;
  const distribution = distributionIn(externalReferences);
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
    integrity: integrityOf(hashes, distribution),
    distribution: textOf(distribution?.['url']),
    line,
  };
}

/** Digests of the component, else those of its distribution. */
function integrityOf(hashes: unknown, distribution: JsonObject | undefined): readonly Integrity[] {
  const own = digestsIn(hashes);
  return own.length > 0 ? own : digestsIn(distribution?.['hashes']);
}

function distributionIn(references: unknown): JsonObject | undefined {
  if (!Array.isArray(references)) return undefined;
  return references.find((one) => isObject(one) && one['type'] === 'distribution');
}

const NO_DIGESTS: readonly Integrity[] = [];

function digestsIn(hashes: unknown): readonly Integrity[] {
  if (!Array.isArray(hashes) || hashes.length === 0) return NO_DIGESTS;
  const digests: Integrity[] = [];
  for (const hash of hashes) {
    const digest = isObject(hash) ? sbomDigest(hash['alg'], hash['content']) : undefined;
    if (digest !== undefined) digests.push(digest);
  }
  return digests;
}

const NO_PROPERTIES: Component['properties'] = [];

function propertiesOf(properties: unknown): Component['properties'] {
  if (!Array.isArray(properties)) return NO_PROPERTIES;
  let found: (readonly [string, string])[] | undefined;
  for (const property of properties) {
    if (!isObject(property)) continue;
    const name = property['name'];
    if (typeof name !== 'string' || !isWantedProperty(name)) continue;
    found ??= [];
    found.push([name, textOf(property['value'])]);
  }
  return found ?? NO_PROPERTIES;
}

function readDependencies(stated: unknown): Relations {
  const dependencies = new Map<string, string[]>();
  for (const one of Array.isArray(stated) ? stated : []) {
    if (!isObject(one)) continue;
    const { ref, dependsOn } = one;
    if (typeof ref !== 'string') continue;
    addRelation(dependencies, ref, [...textsIn(dependsOn)]);
  }
  return dependencies;
}
