import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Integrity } from '../../model/lockfile/lockfile.ts';
import type { Format } from '../format.ts';
import { draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import { type LineNode, lineNodes } from '../syntax/json-lines.ts';
import { parseJson } from '../syntax/parse-json.ts';
import { tableIn, textIn } from '../syntax/parse-toml.ts';

/** The dependencies of a built .NET application at run time. */
export const nugetDepsJson: Format = {
  name: 'nuget-deps-json',
  title: '.NET application dependencies (*.deps.json)',
  ecosystem: 'nuget',
  fileNames: ['*.deps.json'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) => /^\s*\{\s*"runtimeTarget"\s*:/.test(head),
  read(input, builder) {
    const { path, text } = input;
    const { libraries, targets, runtimeTarget } = tableIn(parseJson(text, path, 'a deps.json'));
    if (!isObject(libraries)) return builder.problem(1, isObject(targets) ? NO_LIBRARIES : NO_DEPS_JSON);
    const target = targetOf(targets, runtimeTarget);
    const lines = lineNodes(input, WANTED)?.members?.get('libraries');
    const read = readLibraries(libraries, target, lines, builder);
    if (target !== undefined) addEdges(read, target);
  },
};

const WANTED = { members: { libraries: { each: {} } } };

/** Other tools write files with this extension, too, so these are problems of the file and not errors. */
const NO_LIBRARIES = 'the file has no `libraries`: the packages among its `targets` are unknown';
const NO_DEPS_JSON = 'not a deps.json of .NET: the file has no `libraries`';

/** The target for the platform of the application, by `name/version`; `undefined` when it is unknown. */
function targetOf(targets: unknown, runtimeTarget: unknown): JsonObject | undefined {
  if (!isObject(targets)) return undefined;
  const name = isObject(runtimeTarget) ? runtimeTarget['name'] : runtimeTarget;
  const target =
    typeof name === 'string' && Object.hasOwn(targets, name) ? targets[name] : Object.values(targets)[0];
  return isObject(target) && Object.keys(target).length > 0 ? target : undefined;
}

/** Other types: `project`, the application and its own projects; `reference`, an assembly without a package. */
const PACKAGES: ReadonlySet<string> = new Set(['package', 'runtimepack']);
/** Files of a package that are used at run time. */
const ASSETS = ['runtime', 'runtimeTargets', 'native', 'resources'] as const;

interface Library {
  readonly key: string;
  readonly type: string;
  readonly draft: PackageDraft | undefined;
}

/**
 * Reads the libraries. Leaves out packages of which the target uses no file: they only group other packages. Edges to them
 * lead to their dependencies instead.
 */
function readLibraries(
  libraries: JsonObject,
  target: JsonObject | undefined,
  lines: LineNode | undefined,
  builder: LockfileBuilder,
): ReadonlyMap<string, Library> {
  const read = new Map<string, Library>();
  for (const [key, entry] of Object.entries(libraries)) {
    const line = lines?.members?.get(key)?.line;
    const type = textIn(tableIn(entry)['type'])?.toLowerCase() ?? '';
    if (!isObject(entry) || type === '') {
      builder.add('is not an object with a `type`', line, key);
      continue;
    }
    const isUsed = PACKAGES.has(type) && hasAssets(target === undefined ? undefined : ownOf(target, key));
    const name = type === 'runtimepack' ? key.replace(/^runtimepack\./, '') : key;
    const draft = isUsed ? builder.add(readLibrary(name, entry['sha512'], line), line, key) : undefined;
    read.set(key.toLowerCase(), { key, type, draft });
  }
  return read;
}

function readLibrary(key: string, sha512: unknown, line: number | undefined): PackageDraft | string {
  const slash = key.lastIndexOf('/');
  if (slash <= 0 || slash === key.length - 1) return 'is not `name/version`';
  const name = key.slice(0, slash);
  const version = key.slice(slash + 1);
  return draftPackage({ ecosystem: 'nuget', name, version, integrity: integrityOf(sha512), line });
}

function integrityOf(stated: unknown): readonly Integrity[] {
  if (typeof stated !== 'string' || stated === '') return [];
  return [{ algorithm: 'sha512', value: stated.replace(/^sha512-/, ''), encoding: 'base64' }];
}

function addEdges(libraries: ReadonlyMap<string, Library>, target: JsonObject): void {
  const graph = {
    edgesOf: (key: string) => dependenciesOf(ownOf(target, libraries.get(key)?.key ?? '')),
    idOf: (key: string) => libraries.get(key)?.draft?.id,
  };
  const projects = [...libraries].filter(([, { type }]) => type === 'project').map(([key]) => key);
  const own = createPassingEdges({ ...graph, passes: (key) => libraries.get(key)?.type === 'project' });
  const direct = new Set(projects.flatMap((key) => own.from(key)));
  const edges = createPassingEdges({ ...graph, passes: (key) => libraries.get(key)?.draft === undefined });
  for (const [key, { draft }] of libraries) {
    if (draft === undefined) continue;
    draft.direct = projects.length === 0 ? undefined : direct.has(draft.id);
    connect(draft, edges.from(key));
  }
}

/** Keys of the libraries on which an entry of the target depends. Names in NuGet are case-insensitive. */
function dependenciesOf(entry: unknown): readonly string[] {
  return Object.entries(tableIn(tableIn(entry)['dependencies'])).flatMap(([name, version]) =>
    typeof version === 'string' ? `${name}/${version}`.toLowerCase() : [],
  );
}

/** A library that the target does not mention counts as used. */
function hasAssets(entry: unknown): boolean {
  return !isObject(entry) || ASSETS.some((field) => isObject(entry[field]));
}

function ownOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
