import { posix } from 'node:path';
import type { UnreadError } from '../../model/scan/inventory.ts';
import type { Git } from './git-process.ts';
import { blobSizes, readBlobs, requireBlobs } from './objects.ts';
import type { ListedTree, TreeEntry } from './tree.ts';

/** The blob of a path, and the path that it has without links; or why the path cannot be read. */
export type Located = { readonly oid: string; readonly path: string } | { readonly unread: UnreadError };

const MAX_LINKS = 5;
const MAX_LINK_BYTES = 4_096;

/**
 * Finds files in the tree of a commit. Links are followed inside the repository only; they are never opened on this machine.
 * Paths that do not exist are absent.
 */
export async function locateFiles(
  git: Git,
  tree: ListedTree,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Located>> {
  const located = new Map<string, Located>();
  // The path to look for, by the path that was asked for.
  let open = new Map(paths.map((path) => [path, path]));
  for (let links = 0; open.size > 0; links += 1) {
    const entries = await tree.entriesOf(open.values());
    const targets = await linkTargets(
      git,
      [...entries.values()].filter(({ isLink }) => isLink),
    );
    const next = new Map<string, string>();
    for (const [asked, path] of open) {
      const place = placeOf(asked, path, entries.get(path), targets);
      if (typeof place === 'string' && links < MAX_LINKS) next.set(asked, place);
      else if (typeof place === 'string') located.set(asked, { unread: outside(asked) });
      else if (place !== undefined) located.set(asked, place);
    }
    open = next;
  }
  return located;
}

/**
 * The place to which a path leads: a blob, the path of a link's target, or why it cannot be read. `undefined` when
 * there is no such file.
 */
function placeOf(
  asked: string,
  path: string,
  entry: TreeEntry | undefined,
  targets: ReadonlyMap<string, string>,
): Located | string | undefined {
  if (entry === undefined) return asked === path ? undefined : { unread: dangling(asked, path) };
  if (!entry.isLink) return { oid: entry.oid, path };
  const target = targets.get(entry.oid);
  const to = target === undefined ? undefined : insideRepository(path, target);
  return to ?? { unread: outside(asked) };
}

/** The content of links by their blob: the paths to which they lead. */
async function linkTargets(git: Git, links: readonly TreeEntry[]): Promise<ReadonlyMap<string, string>> {
  const oids = [...new Set(links.map(({ oid }) => oid))];
  await requireBlobs(git, oids);
  const sizes = await blobSizes(git, oids);
  const small = oids.filter((oid) => (sizes.get(oid) ?? Number.POSITIVE_INFINITY) <= MAX_LINK_BYTES);
  const targets = new Map<string, string>();
  await readBlobs(git, small, async (oid, content) => void targets.set(oid, content.toString('utf8')));
  return targets;
}

function insideRepository(link: string, target: string): string | undefined {
  if (target === '' || posix.isAbsolute(target)) return undefined;
  const path = posix.join(posix.dirname(link), target);
  return path === '..' || path.startsWith('../') ? undefined : path;
}

function outside(path: string): UnreadError {
  return { code: 'outside', message: `${path}: is a link out of the repository, or one of too many links` };
}

function dangling(path: string, target: string): UnreadError {
  return {
    code: 'not-a-file',
    message: `${path}: is a link to ${target}, which is not a file of the repository`,
  };
}
