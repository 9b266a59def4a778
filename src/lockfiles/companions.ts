import { dirname, join, posix, relative, sep } from 'node:path';
import { FileError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import { formatNamed } from './catalog.ts';
import type { DiscoveredLockfile } from './discover.ts';
import { LockfileError } from './errors.ts';
import type { Companion, Format } from './format.ts';
import { decodeText } from './syntax/decode-text.ts';

/** More files than any lockfile of sense includes, and more text. */
const MAX_FILES = 64;
/** Names that are looked for: most are there. */
const MAX_NAMES = 256;
const MAX_BYTES = 4_194_304;
const MAX_NAME_CHARACTERS = 1_024;
/** Larger lockfiles than that include nothing: their manifests are small, and theirs alone are asked for. */
const MAX_TEXT_BYTES = 8_388_608;

/**
 * Reads the files that the format of `file` asks for, and those that these ask for in turn. None is opened outside the root
 * that the lockfile was found in, not by `..`, an absolute path or a link. What is not there is no fault: the reader knows
 * less without it, and says so. `content` is that of the lockfile.
 */
export async function readCompanions(
  file: DiscoveredLockfile,
  content: Buffer,
): Promise<readonly Companion[]> {
  const format = formatNamed(file.format);
  if (format?.companions === undefined) return [];
  const folder = dirname(file.path);
  const text = content.length > MAX_TEXT_BYTES ? '' : decoded(content, file.path);
  const found = new Map<string, Companion | undefined>();
  const asked = text === undefined ? [] : namesIn(format, text, undefined);
  let count = 0;
  // Grows while it is gone through.
  for (const name of asked) {
    if (count >= MAX_FILES || found.size >= MAX_NAMES) break;
    if (found.has(name)) continue;
    const companion = await companionInside(file.root, folder, name);
    found.set(name, companion);
    if (companion !== undefined) count += 1;
    const included = companion?.content === undefined ? undefined : decoded(companion.content, name);
    if (included === undefined) continue;
    for (const one of namesIn(format, included, posix.dirname(name))) asked.push(one);
  }
  return [...found.values()].filter((companion) => companion !== undefined);
}

/** `folder` is that of a companion, relative to the lockfile's; `undefined` for the lockfile itself. */
function namesIn(format: Format, text: string, folder: string | undefined): string[] {
  return (format.companions?.(text, folder === undefined) ?? [])
    .filter((name) => name !== '' && !posix.isAbsolute(name) && !/[\\\p{Cc}]|^[a-z]+:/iu.test(name))
    .map((name) => posix.normalize(posix.join(folder ?? '', name)))
    .filter((name) => name.length <= MAX_NAME_CHARACTERS);
}

function decoded(content: Buffer, path: string): string | undefined {
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
