import type { Integrity, LockedPackage, Problem } from '../../model/scan/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { lineNodes } from '../syntax/json-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';

/** `project`: the application and its own projects. The others (`reference`) are assemblies that came with no package. */
const PACKAGES: ReadonlySet<string> = new Set(['package', 'runtimepack']);
const RUNTIME_PACK = /^runtimepack\./;
/** What of a package is used at run time. */
const ASSETS = ['runtime', 'runtimeTargets', 'native', 'resources'] as const;

interface Library {
  readonly key: string;
  readonly type: string;
  readonly draft: PackageDraft | undefined;
}

/**
 * Reads the libraries. Packages that the target uses no file of are left out: they are names for groups of others, and
 * nothing of them is in the application. What they depend on stands in their place.
 */
export function readLibraries(
  libraries: JsonObject,
  target: JsonObject | undefined,
  text: string,
): { readonly packages: readonly LockedPackage[]; readonly problems: readonly Problem[] } {
  const collector = new PackageCollector();
  const problems = new ProblemList();
  const lines = lineNodes(text, { members: { libraries: { each: {} } } })?.members?.get('libraries');
  const read = new Map<string, Library>();
  for (const [key, entry] of Object.entries(libraries)) {
    const line = lines?.members?.get(key)?.line;
    const shown = JSON.stringify(key.slice(0, 200));
    const type = isJsonObject(entry) && typeof entry['type'] === 'string' ? entry['type'].toLowerCase() : '';
    if (!isJsonObject(entry) || type === '') {
      problems.add(line, `${shown} is not an object with a \`type\``);
      continue;
    }
    const isUsed = PACKAGES.has(type) && hasAssets(target === undefined ? undefined : ownOf(target, key));
    const draft = isUsed ? readLibrary(nameAndVersion(key, type), entry['sha512'], line) : undefined;
    if (typeof draft === 'string') problems.add(line, `${shown} ${draft}`);
    const kept = draft === undefined || typeof draft === 'string' ? undefined : collector.add(draft);
    read.set(key.toLowerCase(), { key, type, draft: kept });
  }
  if (target !== undefined) addEdges(read, target);
  return { packages: collector.packages(), problems: problems.all() };
}

/** Runtime packs stand under another name than their packages do; what is a package only looks like one has its own. */
function nameAndVersion(key: string, type: string): string {
  return type === 'runtimepack' ? key.replace(RUNTIME_PACK, '') : key;
}

function readLibrary(key: string, sha512: unknown, line: number | undefined): PackageDraft | string {
  const slash = key.lastIndexOf('/');
  if (slash <= 0 || slash === key.length - 1) return 'is not `name/version`';
  return draftPackage({
    ecosystem: 'nuget',
    name: key.slice(0, slash),
    version: key.slice(slash + 1),
    integrity: integrityOf(sha512),
    line,
  });
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
  const asked = new Set(projects.flatMap((key) => own.from(key)));
  const edges = createPassingEdges({ ...graph, passes: (key) => libraries.get(key)?.draft === undefined });
  for (const [key, { draft }] of libraries) {
    if (draft === undefined) continue;
    draft.direct = projects.length === 0 ? undefined : asked.has(draft.id);
    connect(draft, edges.from(key));
  }
}

/** Keys of the libraries that an entry of the target depends on; NuGet's names are the same in any case. */
function dependenciesOf(entry: unknown): readonly string[] {
  const stated = isJsonObject(entry) ? entry['dependencies'] : undefined;
  if (!isJsonObject(stated)) return [];
  return Object.entries(stated).flatMap(([name, version]) =>
    typeof version === 'string' ? `${name}/${version}`.toLowerCase() : [],
  );
}

/** Of what the target does not mention, nothing says that it is unused. */
function hasAssets(entry: unknown): boolean {
  return !isJsonObject(entry) || ASSETS.some((field) => isJsonObject(entry[field]));
}

function ownOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
