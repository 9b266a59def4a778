import { LockfileError } from '../errors.ts';
import { connect, PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { dependencyLines } from './dependency-lines.ts';
import { type Entry, isEntry, keysOf } from './entry.ts';
import { readEntry } from './read-entry.ts';

interface Node {
  readonly entry: Entry;
  readonly name: string;
  readonly draft: PackageDraft | undefined;
  readonly parent: Node | undefined;
  readonly depth: number;
  readonly children: Map<string, Node>;
}

/** No file system holds folders nested as deep as that. */
const MAX_DEPTH = 250;
const MANIFEST_FIELDS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const;

/**
 * Reads the nested `dependencies` of lockfileVersion 1. The file does not say what the target itself asks for; the
 * manifest beside it does, where there is one.
 */
export function readDependencyTree(root: Entry, text: string, path: string, manifest: Entry | undefined) {
  const collector = new PackageCollector();
  const problems = new ProblemList();
  const top: Node = {
    entry: root,
    name: '',
    draft: undefined,
    parent: undefined,
    depth: 0,
    children: new Map(),
  };
  const nodes = collect(top, text, path, {
    collector,
    problems,
    direct: manifest === undefined ? undefined : false,
  });
  for (const node of nodes) {
    if (node.draft === undefined) continue;
    const required = keysOf(node.entry.requires).flatMap((name) => find(name, node)?.draft?.id ?? []);
    connect(node.draft, [...new Set(required)]);
  }
  for (const field of manifest === undefined ? [] : MANIFEST_FIELDS) {
    for (const name of keysOf(manifest?.[field])) {
      const draft = top.children.get(name)?.draft;
      if (draft !== undefined) draft.direct = true;
    }
  }
  return { packages: collector.packages(), problems: problems.all() };
}

interface Collected {
  readonly collector: PackageCollector;
  readonly problems: ProblemList;
  readonly direct: false | undefined;
}

/** Walks the tree in the order of the text, without recursion: files nest as deep as their writer likes. */
function collect(
  top: Node,
  text: string,
  path: string,
  { collector, problems, direct }: Collected,
): readonly Node[] {
  const lines = dependencyLines(text);
  const nodes: Node[] = [];
  const pending = childEntries(top).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, entry, parent } = next;
    const depth = parent.depth + 1;
    if (depth > MAX_DEPTH) {
      throw new LockfileError(
        'too-deep',
        `${path}: dependencies nest more than ${MAX_DEPTH} levels deep, near "${name}"`,
      );
    }
    const line = lines.next(name, 2 * depth, () => namesAround(parent, name));
    if (!isEntry(entry)) {
      problems.add(line, `"${name}" is not an object`);
      continue;
    }
    const read = readEntry(entry, { folder: name, line, direct });
    if (typeof read === 'string') problems.add(line, `"${name}" ${read}`);
    const draft = typeof read === 'string' ? undefined : collector.add(read);
    const node: Node = { entry, name, draft, parent, depth, children: new Map() };
    parent.children.set(name, node);
    nodes.push(node);
    for (const child of childEntries(node).reverse()) pending.push(child);
  }
  return nodes;
}

function childEntries(parent: Node): { name: string; entry: unknown; parent: Node }[] {
  const { dependencies } = parent.entry;
  if (!isEntry(dependencies)) return [];
  return Object.entries(dependencies).map(([name, entry]) => ({ name, entry, parent }));
}

function namesAround(parent: Node, name: string): readonly string[] {
  const names = [name];
  for (let node: Node | undefined = parent; node?.parent !== undefined; node = node.parent)
    names.push(node.name);
  return names.reverse();
}

function find(name: string, from: Node): Node | undefined {
  for (let node: Node | undefined = from; node !== undefined; node = node.parent) {
    const found = node.children.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
