import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { formatNamed } from './catalog.ts';
import type { DiscoveredLockfile } from './discover.ts';
import { LockfileError } from './errors.ts';
import type { Format } from './format.ts';
import { decodeText } from './syntax/decode-text.ts';

export interface Companion {
  /** Path relative to the lockfile's folder, with forward slashes. */
  readonly name: string;
  readonly content: Buffer;
}

/** More files than any lockfile of sense includes, and more text. */
const MAX_FILES = 64;
const MAX_BYTES = 4_194_304;

/**
 * Reads the files that a lockfile's format asks for, and those that these ask for in turn. None is opened outside the
 * root that the lockfile was found in, not by `..`, an absolute path or a link. What is not there is no fault: the reader
 * knows less without it, and says so.
 */
export async function readCompanions(file: DiscoveredLockfile): Promise<readonly Companion[]> {
  const format = formatNamed(file.format);
  if (format?.companions === undefined) return [];
  const root = await realpath(file.root);
  const folder = dirname(file.path);
  const text = await textOf(file.path, MAX_TEXT_BYTES);
  const found = new Map<string, Buffer | undefined>();
  const asked = text === undefined ? [] : namesIn(format, text, '');
  // Grows while it is gone through.
  for (const name of asked) {
    if (found.size >= MAX_FILES) break;
    if (found.has(name)) continue;
    const content = await contentInside(root, join(folder, name));
    found.set(name, content);
    const included = content === undefined ? undefined : decoded(content, name);
    if (included === undefined) continue;
    for (const one of namesIn(format, included, posix.dirname(name))) asked.push(one);
  }
  return [...found].flatMap(([name, content]) => (content === undefined ? [] : [{ name, content }]));
}

/** Larger lockfiles than that include nothing: their manifests are small, and theirs alone are asked for. */
const MAX_TEXT_BYTES = 8_388_608;

function namesIn(format: Format, text: string, folder: string): string[] {
  return (format.companions?.(text) ?? [])
    .filter((name) => name !== '' && !posix.isAbsolute(name) && !/[\\\0]|^[a-z]+:/i.test(name))
    .map((name) => posix.normalize(posix.join(folder, name)));
}

async function textOf(path: string, maxBytes: number): Promise<string | undefined> {
  const { size } = await stat(path);
  return size > maxBytes ? '' : decoded(await readFile(path), path);
}

function decoded(content: Buffer, path: string): string | undefined {
  try {
    return decodeText(content, path);
  } catch (error) {
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}

async function contentInside(root: string, path: string): Promise<Buffer | undefined> {
  try {
    const real = await realpath(path);
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
    const { size } = await stat(real);
    return size > MAX_BYTES ? undefined : await readFile(real);
  } catch {
    // Not there, or not ours to read.
    return undefined;
  }
}
