import { isObject, type JsonObject } from '../../model/json-object.ts';
import type { Integrity } from '../../model/lockfile/lockfile.ts';
import { LockfileError, shownValue, unsupported } from '../errors.ts';
import type { Format } from '../format.ts';
import { draftPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { parseJsonLines } from '../syntax/parse-json.ts';
import { membersOf, textIn } from '../syntax/parse-toml.ts';

/** NuGet's lockfile, which has the packages by target framework. Version 2 has central package management. */
export const nugetPackagesLock: Format = {
  name: 'nuget-packages-lock',
  title: 'NuGet packages.lock.json (version 1, 2)',
  ecosystem: 'nuget',
  fileNames: ['packages.lock.json'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) => /^\s*\{\s*"version"\s*:\s*[12]\s*,\s*"dependencies"\s*:\s*\{/.test(head),
  read(input, builder) {
    const { root, lines } = parseJsonLines(input, 'a packages.lock.json', WANTED);
    readFrameworks(frameworksOf(root, input.path), lines, builder);
  },
};

const WANTED = { members: { dependencies: { each: { each: {} } } } };

function frameworksOf({ version, dependencies }: JsonObject, path: string): JsonObject {
  if (version !== undefined && version !== 1 && version !== 2) {
    throw unsupported(path, `version ${shownValue(version)} of packages.lock.json`, '1, 2');
  }
  if (isObject(dependencies)) return dependencies;
  // A project without dependencies.
  if (version !== undefined && (dependencies === undefined || dependencies === null)) return {};
  throw new LockfileError(
    'wrong-format',
    `${path}: not a packages.lock.json: its \`dependencies\` are not an object of target frameworks`,
  );
}

/** An entry of a framework. It has no draft when it is a project of the solution or cannot be read. */
interface Locked {
  readonly entry: JsonObject;
  readonly draft: PackageDraft | undefined;
  readonly isProject: boolean;
}

/** Entries of a framework by name in lower case. Names in NuGet are case-insensitive. */
type Framework = ReadonlyMap<string, Locked>;

/** Reads the packages of all frameworks. The same package in several frameworks is one package. */
function readFrameworks(frameworks: JsonObject, lines: LineNode | undefined, builder: LockfileBuilder): void {
  const read = new Map<string, Framework>();
  for (const [name, entries] of Object.entries(frameworks)) {
    const node = lines?.members?.get('dependencies')?.members?.get(name);
    if (isObject(entries)) read.set(name, readFramework(entries, node, builder));
    else builder.add('is not an object', node?.line, name);
  }
  for (const [name, framework] of read) {
    // A framework for a runtime (`net8.0/win-x64`) extends the framework without it.
    const slash = name.lastIndexOf('/');
    addEdges(framework, slash < 0 ? undefined : read.get(name.slice(0, slash)));
  }
}

function readFramework(
  entries: JsonObject,
  lines: LineNode | undefined,
  builder: LockfileBuilder,
): Framework {
  const framework = new Map<string, Locked>();
  for (const [name, entry] of Object.entries(entries)) {
    const line = lines?.members?.get(name)?.line;
    if (!isObject(entry)) {
      builder.add('is not an object', line, name);
      continue;
    }
    const type = textIn(entry['type'])?.toLowerCase();
    const isProject = type === 'project';
    const draft = isProject ? undefined : builder.add(readEntry(name, entry, type, line), line, name);
    framework.set(name.toLowerCase(), { entry, draft, isProject });
  }
  return framework;
}

function readEntry(
  name: string,
  { resolved, contentHash }: JsonObject,
  type: string | undefined,
  line: number | undefined,
): PackageDraft | string {
  if (typeof resolved !== 'string' || resolved === '') return 'has no `resolved` version';
  return draftPackage({
    ecosystem: 'nuget',
    name,
    version: resolved,
    // NuGet always writes the type, other tools do not.
    direct: type === undefined ? undefined : type === 'direct',
    integrity: integrityOf(contentHash),
    line,
  });
}

function integrityOf(hash: unknown): readonly Integrity[] {
  return typeof hash === 'string' && hash !== ''
    ? [{ algorithm: 'sha512', value: hash, encoding: 'base64' }]
    : [];
}

/** Connects the packages of a framework. Projects belong to the target, so their dependencies are direct. */
function addEdges(framework: Framework, base: Framework | undefined): void {
  const find = (name: string) => framework.get(name) ?? base?.get(name);
  const edges = createPassingEdges({
    edgesOf: (name) => dependenciesOf(find(name)?.entry),
    idOf: (name) => find(name)?.draft?.id,
    passes: (name) => find(name)?.isProject === true,
  });
  for (const [name, { entry, draft, isProject }] of framework) {
    if (draft !== undefined) connect(draft, edges.from(name));
    for (const needed of isProject ? dependenciesOf(entry) : []) {
      const found = find(needed)?.draft;
      if (found !== undefined) found.direct = true;
    }
  }
}

function dependenciesOf(entry: JsonObject | undefined): readonly string[] {
  return membersOf(entry?.['dependencies']).map(([name]) => name.toLowerCase());
}
