import { LockfileError } from '../errors.ts';
import type { LockfileContent } from '../format.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import { type LineNode, lineNodes, type Wanted } from '../syntax/json-lines.ts';
import { type Entry, isEntry, keysOf, LISTS } from './entry.ts';
import { readEntry } from './read-entry.ts';

interface Node {
  readonly entry: Entry;
  readonly lines: LineNode | undefined;
  readonly draft: PackageDraft | undefined;
  readonly parent: Node | undefined;
  readonly depth: number;
  readonly children: Map<string, Node>;
}

/** Deeper than any file system nests folders. */
const MAX_DEPTH = 250;

/** Each entry of `dependencies` can have `dependencies` of the same form. */
const NESTED: { members: Record<string, Wanted> } = { members: {} };
NESTED.members['dependencies'] = { each: NESTED };

/**
 * Reads the nested `dependencies` of lockfileVersion 1. The file does not say which dependencies are direct; `manifest`
 * does, where it is available.
 */
export function readDependencyTree(
  root: Entry,
  text: string,
  path: string,
  manifest: Entry | undefined,
): LockfileContent {
  const builder = new LockfileBuilder();
  const top: Node = {
    entry: root,
    lines: lineNodes(text, NESTED),
    draft: undefined,
    parent: undefined,
    depth: 0,
    children: new Map(),
  };
  const nodes = collectNodes(top, path, builder, manifest === undefined ? undefined : false);
  for (const node of nodes) {
    if (node.draft === undefined) continue;
    const required = keysOf(node.entry.requires).flatMap((name) => find(name, node)?.draft?.id ?? []);
    connect(node.draft, [...new Set(required)]);
  }
  for (const name of LISTS.flatMap((field) => keysOf(manifest?.[field]))) {
    const draft = top.children.get(name)?.draft;
    if (draft !== undefined) draft.direct = true;
  }
  return builder.content();
}

/** Walks the tree in the order of the text, without recursion, because the nesting is unchecked. */
function collectNodes(
  top: Node,
  path: string,
  builder: LockfileBuilder,
  direct: false | undefined,
): readonly Node[] {
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
    const lines = parent.lines?.members?.get('dependencies')?.members?.get(name);
    const line = lines?.line;
    const read = isEntry(entry) ? readEntry(entry, { folder: name, line, direct }) : 'is not an object';
    const draft = builder.add(read, line, name);
    if (!isEntry(entry)) continue;
    const node: Node = { entry, lines, draft, parent, depth, children: new Map() };
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

function find(name: string, from: Node): Node | undefined {
  for (let node: Node | undefined = from; node !== undefined; node = node.parent) {
    const found = node.children.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
