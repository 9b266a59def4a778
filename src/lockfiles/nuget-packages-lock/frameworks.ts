import type { Integrity, LockedPackage, Problem } from '../../model/scan/lockfile.ts';
import { connect, PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { type LineNode, lineNodes } from '../syntax/json-lines.ts';
import { isJsonObject, type JsonObject } from '../syntax/parse-json.ts';

/** An entry of one framework; without a draft it is a project of the same solution, or cannot be read. */
interface Locked {
  readonly entry: JsonObject;
  readonly draft: PackageDraft | undefined;
  readonly isProject: boolean;
}

/** Entries of one framework by name in lower case: NuGet's names are the same in any case. */
type Framework = ReadonlyMap<string, Locked>;

/** Reads what is locked for each target framework; the same package for several of them is one. */
export function readFrameworks(
  frameworks: JsonObject,
  text: string,
): { readonly packages: readonly LockedPackage[]; readonly problems: readonly Problem[] } {
  const collector = new PackageCollector();
  const problems = new ProblemList();
  const lines = lineNodes(text, { members: { dependencies: { each: { each: {} } } } });
  const read = new Map<string, Framework>();
  for (const [name, entries] of Object.entries(frameworks)) {
    const at = lines?.members?.get('dependencies')?.members?.get(name);
    if (isJsonObject(entries)) read.set(name, readFramework(entries, at, { collector, problems }));
    else problems.add(at?.line, `the framework ${shown(name)} is not an object`);
  }
  for (const [name, framework] of read) {
    // What is locked for a runtime (`net8.0/win-x64`) adds to its framework.
    const slash = name.lastIndexOf('/');
    addEdges(framework, slash < 0 ? undefined : read.get(name.slice(0, slash)));
  }
  return { packages: collector.packages(), problems: problems.all() };
}

function readFramework(
  entries: JsonObject,
  lines: LineNode | undefined,
  { collector, problems }: { readonly collector: PackageCollector; readonly problems: ProblemList },
): Framework {
  const framework = new Map<string, Locked>();
  for (const [name, entry] of Object.entries(entries)) {
    const line = lines?.members?.get(name)?.line;
    if (!isJsonObject(entry)) {
      problems.add(line, `${shown(name)} is not an object`);
      continue;
    }
    const isProject = typeof entry['type'] === 'string' && entry['type'].toLowerCase() === 'project';
    const draft = isProject ? undefined : readEntry(name, entry, line);
    if (typeof draft === 'string') problems.add(line, `${shown(name)} ${draft}`);
    const kept = draft === undefined || typeof draft === 'string' ? undefined : collector.add(draft);
    framework.set(name.toLowerCase(), { entry, draft: kept, isProject });
  }
  return framework;
}

function readEntry(name: string, entry: JsonObject, line: number | undefined): PackageDraft | string {
  const { type, resolved, contentHash } = entry as Record<'type' | 'resolved' | 'contentHash', unknown>;
  if (typeof resolved !== 'string' || resolved === '') return 'has no `resolved` version';
  return draftPackage({
    ecosystem: 'nuget',
    name,
    version: resolved,
    // NuGet writes it always, other tools do not.
    direct: typeof type === 'string' ? type.toLowerCase() === 'direct' : undefined,
    integrity: integrityOf(contentHash),
    line,
  });
}

function integrityOf(hash: unknown): readonly Integrity[] {
  return typeof hash === 'string' && hash !== ''
    ? [{ algorithm: 'sha512', value: hash, encoding: 'base64' }]
    : [];
}

/** Edges within a framework. Projects are the target's own: what they ask for, the target does. */
function addEdges(framework: Framework, base: Framework | undefined): void {
  const find = (name: string) => framework.get(name) ?? base?.get(name);
  const edges = createPassingEdges({
    edgesOf: (name) => namesIn(find(name)?.entry['dependencies']),
    idOf: (name) => find(name)?.draft?.id,
    passes: (name) => find(name)?.isProject === true,
  });
  for (const [name, { entry, draft, isProject }] of framework) {
    if (draft !== undefined) connect(draft, edges.from(name));
    if (!isProject) continue;
    for (const asked of namesIn(entry['dependencies'])) {
      const found = find(asked)?.draft;
      if (found !== undefined) found.direct = true;
    }
  }
}

function namesIn(dependencies: unknown): readonly string[] {
  return isJsonObject(dependencies) ? Object.keys(dependencies).map((name) => name.toLowerCase()) : [];
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
