import { posix } from 'node:path';
import ignore from 'ignore';
import { type CompanionSearch, MAX_COMPANION_BYTES, searchCompanions } from '../../lockfiles/companions.ts';
import { detectFormatName, headText } from '../../lockfiles/detect-format.ts';
import {
  formatOfName,
  lockfileFormat,
  SHALLOW_FOLDERS,
  SKIPPED_FOLDERS,
} from '../../lockfiles/known-formats.ts';
import { payloadPath } from '../../lockfiles/payload-file.ts';
import { RAISE_LIMIT } from '../../lockfiles/read-as.ts';
import type { UnreadError } from '../../model/scan/inventory.ts';
import type { SourceFile } from '../../model/watch/source.ts';
import { type PutContent, type ReadingLimits, requireFew } from '../stored-files.ts';
import type { Git } from './git-process.ts';
import { type Located, locateFiles } from './locate-files.ts';
import { blobSizes, readBlobs, requireBlobs } from './objects.ts';
import { ListedTree, type TreeEntry } from './tree.ts';

interface TreeOptions {
  /** In the notation of `.gitignore`. */
  readonly exclude: readonly string[];
  readonly put: PutContent;
  readonly limits: ReadingLimits;
  /** Files, which may have any name, and folders that are searched. Default: the whole tree is searched. */
  readonly paths?: readonly string[];
  /** Format of the files in `paths`. Default: detected. */
  readonly format?: string | undefined;
}

/** Chains of files that include files: `requirements.txt` → `base.txt` → … */
const MAX_ROUNDS = 10;

type Stored = { readonly sha256: string; readonly bytes: number } | { readonly unread: UnreadError };

interface OpenLockfile {
  readonly path: string;
  /** Unset for a named file whose name tells nothing. */
  readonly format: string | undefined;
  /** Set once its content is read. */
  search?: CompanionSearch;
  stored?: Stored;
  readonly companions: ({ readonly name: string } & Stored)[];
}

/** Reads and stores the lockfiles of a commit with their companions. */
export async function readTreeLockfiles(
  git: Git,
  commit: string,
  { put, limits, ...selection }: TreeOptions,
): Promise<readonly SourceFile[]> {
  const tree = new ListedTree(git, commit);
  const found = await findLockfiles(git, tree, selection);
  const files = found.map(
    ({ entry, format }): OpenLockfile => ({ path: entry.path, format, companions: [] }),
  );
  for (const { entry } of found) tree.keep(entry);
  const names = new Set(found.map(({ entry }) => entry.path));
  const located = await locateFiles(git, tree, [...names]);
  const read = files.filter(({ path }) => !isFoundElsewhere(path, located, names));
  const byPath = new Map(read.map((file) => [file.path, file]));
  await readContents(git, located, [...byPath.keys()], limits.maxLockfileBytes, async (path, result) => {
    const file = byPath.get(path);
    if (file !== undefined) await keepLockfile(file, result, put);
  });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (!(await readCompanionRound(git, tree, read, put))) break;
  }
  return read.map(sourceFile);
}

type Contents = Buffer | { readonly unread: UnreadError };

async function keepLockfile(file: OpenLockfile, result: Contents, put: PutContent): Promise<void> {
  if (!Buffer.isBuffer(result)) {
    file.stored = result;
    return;
  }
  file.stored = await put(result);
  const { path } = file;
  const format = file.format ?? (await detectFormatName(path, () => headText(result), undefined));
  if (format !== undefined) file.search = await searchCompanions({ path, format, place: path }, result);
}

/** Reads the companions that the files read so far name. Resolves to false when there are none. */
async function readCompanionRound(
  git: Git,
  tree: ListedTree,
  files: readonly OpenLockfile[],
  put: PutContent,
): Promise<boolean> {
  const wanted = new Map<string, { readonly file: OpenLockfile; readonly name: string }[]>();
  for (const file of files) {
    const { search } = file;
    if (search === undefined) continue;
    for (let name = search.next(); name !== undefined; name = search.next()) {
      const path = posix.join(posix.dirname(file.path), name);
      if (path.startsWith('../') || path.endsWith('/')) continue;
      appendTo(wanted, path, { file, name });
    }
  }
  if (wanted.size === 0) return false;
  const located = await locateFiles(git, tree, [...wanted.keys()]);
  const existing = [...wanted.keys()].filter((path) => located.has(path));
  await readContents(git, located, existing, MAX_COMPANION_BYTES, async (path, result) => {
    const stored = Buffer.isBuffer(result) ? await put(result) : result;
    for (const { file, name } of wanted.get(path) ?? []) {
      file.companions.push({ name, ...stored });
      file.search?.found(name, Buffer.isBuffer(result) ? result : undefined);
    }
  });
  return existing.length > 0;
}

/** Reads the contents of located files. `visit` gets each path once, with its content or why it is not read. */
async function readContents(
  git: Git,
  located: ReadonlyMap<string, Located>,
  paths: readonly string[],
  maxBytes: number,
  visit: (path: string, result: Contents) => Promise<void>,
): Promise<void> {
  const byOid = new Map<string, string[]>();
  for (const path of paths) {
    const place = located.get(path);
    if (place === undefined) continue;
    if ('unread' in place) await visit(path, place);
    else appendTo(byOid, place.oid, path);
  }
  await requireBlobs(git, [...byOid.keys()]);
  const sizes = await blobSizes(git, byOid.keys());
  const small: string[] = [];
  for (const [oid, own] of byOid) {
    const size = sizes.get(oid);
    if (size !== undefined && size <= maxBytes) small.push(oid);
    else for (const path of own) await visit(path, { unread: notRead(path, size, maxBytes) });
  }
  await readBlobs(git, small, async (oid, content) => {
    for (const path of byOid.get(oid) ?? []) await visit(path, content);
  });
}

function notRead(path: string, size: number | undefined, maxBytes: number): UnreadError {
  if (size === undefined)
    return { code: 'unreadable', message: `${path}: the server did not send its content` };
  return {
    code: 'too-large',
    message: `${path}: ${size} bytes exceed the limit of ${maxBytes}; ${RAISE_LIMIT}`,
  };
}

/** A link to another lockfile of the repository, which is read under its own name. */
function isFoundElsewhere(
  path: string,
  located: ReadonlyMap<string, Located>,
  names: ReadonlySet<string>,
): boolean {
  const place = located.get(path);
  if (place === undefined || 'unread' in place || place.path === path) return false;
  return names.has(place.path);
}

function appendTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

async function findLockfiles(
  git: Git,
  tree: ListedTree,
  { exclude, paths = [''], format: forced }: Pick<TreeOptions, 'exclude' | 'paths' | 'format'>,
) {
  const excluded = exclude.length === 0 ? undefined : ignore().add([...exclude]);
  const entriesIn = new Map<string, TreeEntry[]>();
  const found: { readonly entry: TreeEntry; readonly format: string | undefined }[] = [];
  await tree.visit((entry) => {
    const { path } = entry;
    if (paths.includes(path)) {
      found.push({ entry, format: forced ?? formatOfName(path)?.name });
      return;
    }
    const root = paths.find((folder) => folder === '' || path.startsWith(`${folder}/`));
    if (root === undefined || isSkipped(path.slice(root.length))) return;
    if (lockfileFormat(path, new Set()) === undefined) return;
    if (excluded?.ignores(path) === true) return;
    appendTo(entriesIn, posix.dirname(path), entry);
  });
  for (const entries of entriesIn.values()) {
    const names = new Set(entries.map(({ path }) => posix.basename(path)));
    for (const entry of entries) {
      // Files that a tool ignores because of another file are lockfiles themselves, as are the other files.
      const format = lockfileFormat(entry.path, names);
      if (format !== undefined) found.push({ entry, format: format.name });
      requireFew(git.what, found.length);
    }
  }
  return found;
}

export function isSkipped(path: string): boolean {
  const folders = path.split('/').slice(0, -1);
  const isRead = SHALLOW_FOLDERS.has(folders.at(-1) ?? '');
  return folders.slice(0, isRead ? -1 : undefined).some((folder) => SKIPPED_FOLDERS.has(folder));
}

function sourceFile({ path: full, stored, companions }: OpenLockfile): SourceFile {
  const { path, fault } = payloadPath(full);
  if (fault !== undefined) return { path, unread: fault };
  const content = stored ?? { unread: { code: 'unreadable', message: `${path}: is not in the commit` } };
  return { path, ...content, ...(companions.length === 0 ? {} : { companions }) };
}
