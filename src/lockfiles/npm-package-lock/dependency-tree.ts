import { LockfileError } from '../errors.ts';
import type { LockfileContent } from '../format.ts';
import { findUpwards, newPlace, type Place, placeIn } from '../packages/installed-tree.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft } from '../packages/package-collector.ts';
import type { LineNode } from '../syntax/json-lines.ts';
import { type Entry, isEntry, keysOf, LISTS, readEntry } from './entry.ts';

/** An entry, which is the value of its place, or one without a package. */
interface Node {
  readonly name: string;
  readonly entry: unknown;
  readonly line: number | undefined;
  /** The lines of its own `dependencies`. */
  readonly lines: LineNode | undefined;
  readonly parent: Place<Read>;
}

interface Read {
  readonly entry: Entry;
  readonly draft: PackageDraft | undefined;
  readonly place: Place<Read>;
}

/** Deeper than any file system nests folders. */
const MAX_DEPTH = 250;

/**
 * Reads the nested `dependencies` of lockfileVersion 1, whose lines are `lines`. The file does not say which dependencies are
 * direct; `manifest` does, where it is available.
 */
export function readDependencyTree(
  root: Entry,
  lines: LineNode | undefined,
  path: string,
  manifest: Entry | undefined,
): LockfileContent {
  const builder = new LockfileBuilder();
  const top = newPlace<Read>(undefined);
  const direct = manifest === undefined ? undefined : false;
  const read: Read[] = [];
  // In the order of the text, without recursion, because the nesting is unchecked.
  const pending = entriesIn(root, lines, top).reverse();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, entry, line, parent } = next;
    if (parent.depth >= MAX_DEPTH) {
      throw new LockfileError(
        'too-deep',
        `${path}: dependencies nest more than ${MAX_DEPTH} levels deep, near "${name}"`,
      );
    }
    const stated = isEntry(entry) ? readEntry(entry, { folder: name, line, direct }) : 'is not an object';
    const draft = builder.add(stated, line, name);
    if (!isEntry(entry)) continue;
    const place = placeIn(parent, name);
    place.value = { entry, draft, place };
    read.push(place.value);
    for (const child of entriesIn(entry, next.lines, place).reverse()) pending.push(child);
  }
  for (const { entry, draft, place } of read) {
    if (draft === undefined) continue;
    const required = keysOf(entry.requires).flatMap((name) => findUpwards(name, place)?.draft?.id ?? []);
    connect(draft, [...new Set(required)]);
  }
  for (const name of LISTS.flatMap((field) => keysOf(manifest?.[field]))) {
    const draft = top.children?.get(name)?.value?.draft;
    if (draft !== undefined) draft.direct = true;
  }
  return builder.content();
}

function entriesIn({ dependencies }: Entry, lines: LineNode | undefined, parent: Place<Read>): Node[] {
  if (!isEntry(dependencies)) return [];
  return Object.entries(dependencies).map(([name, entry]) => {
    const node = lines?.members?.get(name);
    return { name, entry, line: node?.line, lines: node?.members?.get('dependencies'), parent };
  });
}
