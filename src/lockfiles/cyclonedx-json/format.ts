import { isObject, type JsonObject } from '../../model/json-object.ts';
import { LockfileError, shownValue, unsupported } from '../errors.ts';
import type { Format } from '../format.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { addPackages, addRelation, type Relations, type Sbom, type SbomEntry, textOf } from '../sbom/sbom.ts';
import type { LineNode, Wanted } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { tableIn, tablesIn, textsIn } from '../syntax/parse-toml.ts';
import { componentEntry, type Subject } from './component.ts';

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
