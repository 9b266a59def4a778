import { dirname, join, posix, relative, sep } from 'node:path';
import { FileError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import type { DiscoveredLockfile } from './discover.ts';
import { LockfileError } from './errors.ts';
import { exceptionFile, exceptionNames } from './exceptions/catalog.ts';
import type { Companion, Format } from './format.ts';
import { KNOWN_FORMATS } from './known-formats.generated.ts';
import { formatNamed } from './known-formats.ts';
import { decodeText } from './syntax/decode-text.ts';

/** Number of companions. */
const MAX_FILES = 64;
/** Number of paths that are tried. */
const MAX_NAMES = 256;
export const MAX_COMPANION_BYTES = 4_194_304;
const MAX_NAME_CHARACTERS = 1_024;
/** Settings that a target keeps beside a lockfile. It is read with each lockfile, and no format reads it. */
export const TARGET_FILE = '.lockhound.yaml';
/** Who owns the files of a repository, by the places where GitHub and GitLab look for it; the first that exists counts. */
const OWNER_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];
const OWNER_FILE = /^((?:\.\.\/)*)(?:(?:\.github|docs|\.gitlab)\/)?CODEOWNERS$/;
/** Lockfiles in deeper folders have no owners and exceptions by the files of the root. */
const MAX_DEPTH = 32;
/** Larger lockfiles are not searched for included files. Only their manifests are read. */
const MAX_TEXT_BYTES = 8_388_608;
const NO_TEXT = Buffer.alloc(0);

/**
 * Reads the companions of a lockfile, and the companions of these. It opens no file outside the root of the search, neither
 * through `..` nor through an absolute path or a link. Missing companions are left out: readers report what they need.
 * `content` is that of the lockfile.
 */
export async function readCompanions(
  file: DiscoveredLockfile,
  content: Buffer,
): Promise<readonly Companion[]> {
  const folder = dirname(file.path);
  const place = relative(file.root, file.path).split(sep).join('/');
  const search = await searchCompanions({ ...file, place }, content);
  const found: Companion[] = [];
  for (let name = search.next(); name !== undefined; name = search.next()) {
    const companion = await companionInside(file.root, folder, name);
    if (companion === undefined) continue;
    found.push(companion);
    search.found(name, companion.content);
  }
  return found;
}

/** The names of a lockfile's companions, for a caller that opens them. */
export interface CompanionSearch {
  /** The next name to look for, relative to the folder of the lockfile; `undefined` when no name waits. */
  next(): string | undefined;
  /** Call it for a companion that exists, with its content unless that cannot be read: it may name more companions. */
  found(name: string, content: Buffer | undefined): void;
}

/** `place`: the path below the root of the search; without it, nobody asks for owners and exceptions. */
export async function searchCompanions(
  {
    format: formatName,
    path,
    place,
  }: Pick<DiscoveredLockfile, 'format' | 'path'> & { readonly place?: string },
  content: Buffer,
): Promise<CompanionSearch> {
  const format = await formatNamed(formatName)?.load();
  const named = namesIn(format, path, content.length > MAX_TEXT_BYTES ? NO_TEXT : content, true);
  const depth = place === undefined ? MAX_DEPTH + 1 : place.split('/').length - 1;
  const byFormat = new Set(named);
  const pending = [TARGET_FILE, ...(depth > MAX_DEPTH ? [] : ownerFiles(depth)), ...named];
  const exceptions = depth > MAX_DEPTH ? [] : [...exceptionNames(formatName, depth)];
  const tried = new Set<string>();
  let at = 0;
  let count = 0;
  return {
    next() {
      // They come last, because the number of files is limited.
      if (at === pending.length) pending.push(...exceptions.splice(0));
      while (at < pending.length && count < MAX_FILES && tried.size < MAX_NAMES) {
        const name = pending[at++];
        if (name === undefined || tried.has(name)) continue;
        tried.add(name);
        return name;
      }
      return undefined;
    },
    found(name, own) {
      count += 1;
      if (name === TARGET_FILE || ownedRoot(name) !== undefined) return;
      if (exceptionFile(name) !== undefined && !byFormat.has(name)) return;
      if (Array.isArray(format?.companions)) return;
      for (const one of namesIn(format, name, own, false)) {
        byFormat.add(one);
        pending.push(one);
      }
    },
  };
}

/** The names of all companions that no lockfile names itself. */
export async function fixedCompanions(): Promise<ReadonlySet<string>> {
  const formats = await Promise.all(KNOWN_FORMATS.map(({ load }) => load()));
  const named = formats.flatMap(({ companions }) =>
    typeof companions === 'function' ? [] : (companions ?? []),
  );
  return new Set([TARGET_FILE, ...named]);
}

/** The names of the files of owners, from a folder in this depth. */
function ownerFiles(depth: number): readonly string[] {
  return OWNER_FILES.map((name) => `${'../'.repeat(depth)}${name}`);
}

/** The root that a file of owners is for, from the folder of the lockfile; `undefined` for any other companion. */
export function ownedRoot(name: string): string | undefined {
  return OWNER_FILE.exec(name)?.[1];
}

/** The names of the companions of a lockfile, or of one of its companions, relative to the lockfile. */
function namesIn(
  format: Format | undefined,
  path: string,
  content: Buffer | undefined,
  isLockfile: boolean,
): string[] {
  const named = format?.companions ?? [];
  const text = typeof named === 'function' && content !== undefined ? tryDecode(content, path) : undefined;
  const names = typeof named !== 'function' ? named : text === undefined ? [] : named(text, isLockfile);
  return names
    .filter((name) => name !== '' && !posix.isAbsolute(name) && !/[\\\p{Cc}]|^[a-z]+:/iu.test(name))
    .map((name) => posix.normalize(posix.join(isLockfile ? '' : posix.dirname(path), name)))
    .filter((name) => name.length <= MAX_NAME_CHARACTERS);
}

function tryDecode(content: Buffer, path: string): string | undefined {
  try {
    return decodeText(content, path);
  } catch (error) {
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}

async function companionInside(root: string, folder: string, name: string): Promise<Companion | undefined> {
  const path = join(folder, name);
  if (relative(root, path).split(sep)[0] === '..') return undefined;
  try {
    return { name, content: await readFile(path, { maxBytes: MAX_COMPANION_BYTES, within: root }) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'not-found') return undefined;
    return { name, error: { code: error.code, message: error.message } };
  }
}
