import { dirname, join, posix, relative, sep } from 'node:path';
import { FileError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import { formatNamed } from './catalog.ts';
import type { DiscoveredLockfile } from './discover.ts';
import { LockfileError } from './errors.ts';
import type { Companion, Format } from './format.ts';
import { decodeText } from './syntax/decode-text.ts';

/** Number of companions. */
const MAX_FILES = 64;
/** Number of paths that are tried. */
const MAX_NAMES = 256;
const MAX_BYTES = 4_194_304;
const MAX_NAME_CHARACTERS = 1_024;
/** Larger lockfiles are not searched for included files. Only their manifests are read. */
const MAX_TEXT_BYTES = 8_388_608;

/**
 * Reads the companions of a lockfile, and the companions of these. It opens no file outside the root of the search, neither
 * through `..` nor through an absolute path or a link. Missing companions are left out: readers report what they need.
 * `content` is that of the lockfile.
 */
export async function readCompanions(
  file: DiscoveredLockfile,
  content: Buffer,
): Promise<readonly Companion[]> {
  const format = formatNamed(file.format);
  if (format?.companions === undefined) return [];
  const folder = dirname(file.path);
  const text = content.length > MAX_TEXT_BYTES ? '' : tryDecode(content, file.path);
  const found = new Map<string, Companion | undefined>();
  const pending = text === undefined ? [] : namesIn(format, text, undefined);
  let count = 0;
  // Iteration includes names that are added during it.
  for (const name of pending) {
    if (count >= MAX_FILES || found.size >= MAX_NAMES) break;
    if (found.has(name)) continue;
    const companion = await companionInside(file.root, folder, name);
    found.set(name, companion);
    if (companion !== undefined) count += 1;
    const included = companion?.content === undefined ? undefined : tryDecode(companion.content, name);
    if (included === undefined) continue;
    for (const one of namesIn(format, included, posix.dirname(name))) pending.push(one);
  }
  return [...found.values()].filter((companion) => companion !== undefined);
}

/** `folder`: that of a companion, relative to the lockfile's; `undefined` for the lockfile itself. */
function namesIn(format: Format, text: string, folder: string | undefined): string[] {
  return (format.companions?.(text, folder === undefined) ?? [])
    .filter((name) => name !== '' && !posix.isAbsolute(name) && !/[\\\p{Cc}]|^[a-z]+:/iu.test(name))
    .map((name) => posix.normalize(posix.join(folder ?? '', name)))
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
    return { name, content: await readFile(path, { maxBytes: MAX_BYTES, within: root }) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'not-found') return undefined;
    return { name, error: { code: error.code, message: error.message } };
  }
}
