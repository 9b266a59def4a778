import type { Readable } from 'node:stream';
import { createYielder } from '../../model/yielding.ts';
import { SourceError } from '../errors.ts';
import { type Git, runGit } from './git-process.ts';

/** A file or a link in the tree of a commit. */
export interface TreeEntry {
  readonly path: string;
  readonly oid: string;
  readonly isLink: boolean;
}

const REGULAR = new Set(['100644', '100755', '100664']);
const LINK = '120000';
/** The list of two million files. */
const MAX_LIST_BYTES = 268_435_456;
/** Longer than any path that a scan accepts. */
const MAX_ENTRY_BYTES = 65_536;

/**
 * Passes every file and link of a commit to `visit`, in the order of the tree. Nothing is kept: a repository may have millions of
 * files. Submodules are left out.
 */
export async function visitTree(git: Git, commit: string, visit: (entry: TreeEntry) => void): Promise<void> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', commit];
  await runGit(git, args, { read: (output) => readEntries(git, output, visit) });
}

async function readEntries(
  { what, maxListBytes = MAX_LIST_BYTES }: Git,
  output: Readable,
  visit: (entry: TreeEntry) => void,
): Promise<void> {
  const yieldIfDue = createYielder();
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxListBytes) throw new SourceError('too-large', `${what}: it has too many files to list`);
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = text.indexOf(0, start); end >= 0; end = text.indexOf(0, start)) {
      const entry = entryOf(text.toString('utf8', start, end));
      if (entry !== undefined) visit(entry);
      start = end + 1;
    }
    rest = text.subarray(start);
    if (rest.length > MAX_ENTRY_BYTES)
      throw new SourceError('too-large', `${what}: a path in it is too long`);
    await yieldIfDue();
  }
}

/** `<mode> <type> <oid>\t<path>`. */
function entryOf(line: string): TreeEntry | undefined {
  const tab = line.indexOf('\t');
  const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
  if (mode !== LINK && !REGULAR.has(mode)) return undefined;
  return { path: line.slice(tab + 1), oid, isLink: mode === LINK };
}

/** Entries of a tree that are kept in memory: some megabytes. */
const MAX_KEPT = 50_000;

/** The tree of a commit, which is listed once. A larger one is listed again for entries that are not kept. */
export class ListedTree {
  readonly #git: Git;
  readonly #commit: string;
  readonly #kept = new Map<string, TreeEntry>();
  #isWhole = true;

  constructor(git: Git, commit: string) {
    this.#git = git;
    this.#commit = commit;
  }

  /** Lists the tree. Throws `SourceError`. */
  async visit(visit: (entry: TreeEntry) => void): Promise<void> {
    await visitTree(this.#git, this.#commit, (entry) => {
      if (this.#kept.size < MAX_KEPT) this.keep(entry);
      else this.#isWhole = false;
      visit(entry);
    });
  }

  keep(entry: TreeEntry): void {
    this.#kept.set(entry.path, entry);
  }

  /** The entries of these paths after `visit`, by path; those that do not exist are absent. Throws `SourceError`. */
  async entriesOf(paths: Iterable<string>): Promise<ReadonlyMap<string, TreeEntry>> {
    const found = new Map<string, TreeEntry>();
    const open = new Set<string>();
    for (const path of paths) {
      const entry = this.#kept.get(path);
      if (entry === undefined) open.add(path);
      else found.set(path, entry);
    }
    if (open.size > 0 && !this.#isWhole)
      await visitTree(this.#git, this.#commit, (entry) => {
        if (open.has(entry.path)) found.set(entry.path, entry);
      });
    return found;
  }
}
