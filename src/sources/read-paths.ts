import { join, relative, sep } from 'node:path';
import ignore from 'ignore';
import { readFile } from '../files/read-file.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles } from '../lockfiles/discover.ts';
import { payloadPath, unreadError } from '../lockfiles/payload-file.ts';
import { RAISE_LIMIT } from '../lockfiles/read-as.ts';
import { CodedError } from '../model/errors.ts';
import type { SourceFile, SourceReading } from '../model/watch/source.ts';
import { SourceError } from './errors.ts';
import { matchPaths } from './match-paths.ts';
import { type PutContent, type ReadingLimits, requireFew, requireFiles } from './stored-files.ts';

interface PathOptions {
  readonly exclude: readonly string[];
  readonly put: PutContent;
  readonly limits: ReadingLimits;
  readonly signal: AbortSignal;
}

/** Reads the lockfiles of one folder, or one lockfile. Throws `SourceError`. */
export async function readPath(path: string, options: PathOptions): Promise<SourceReading> {
  return requireFiles(path, { files: await filesBelow(path, '', options) });
}

/** Reads the lockfiles of all matches as those of one target. Their paths begin at the folder that the matches share. */
export async function readPaths(patterns: readonly string[], options: PathOptions): Promise<SourceReading> {
  const what = patterns.join(', ');
  const { base, matches } = await matchPaths(patterns, options.signal);
  if (matches.length === 0) throw new SourceError('not-found', `${what}: nothing matches on this worker`);
  const files = new Map<string, SourceFile>();
  for (const match of matches) {
    const below = relative(base, match).split(sep).join('/');
    for (const file of await filesBelow(match, below, options)) files.set(file.path, file);
    requireFew(what, files.size);
  }
  return requireFiles(what, { files: [...files.values()] });
}

/** `below`: path of the match below the root of the target; empty when it is the root. */
async function filesBelow(path: string, below: string, options: PathOptions): Promise<readonly SourceFile[]> {
  const { exclude, signal } = options;
  const excluded = exclude.length === 0 ? undefined : ignore().add([...exclude]);
  const files: SourceFile[] = [];
  for await (const found of discoverLockfiles([path], { signal })) {
    signal.throwIfAborted();
    const isFile = found.path === path;
    const placed = isFile
      ? below || found.relativePath
      : join(below, found.relativePath).split(sep).join('/');
    if (excluded?.ignores(placed.replace(/^\.\//, '')) === true) continue;
    if (isFile && found.error?.code === 'not-found') {
      throw new SourceError('not-found', found.error.message, { cause: found.error });
    }
    const { path: name, fault } = payloadPath(found.relativePath === './' && below === '' ? './' : placed);
    const read =
      fault !== undefined
        ? { unread: fault }
        : found.error === undefined
          ? await readOne(found, options)
          : { unread: unreadError(found.error) };
    files.push({ path: name, ...read });
    requireFew(path, files.length);
  }
  return files;
}

async function readOne(file: DiscoveredLockfile, { put, limits }: PathOptions) {
  try {
    const maxBytes = limits.maxLockfileBytes;
    const content = await readFile(file.path, { maxBytes, remedy: RAISE_LIMIT, within: file.within });
    const companions = [];
    for (const { name, content: own, error } of await readCompanions(file, content)) {
      companions.push(own === undefined ? { name, unread: error } : { name, ...(await put(own)) });
    }
    return { ...(await put(content)), ...(companions.length === 0 ? {} : { companions }) };
  } catch (error) {
    if (!(error instanceof CodedError) || error instanceof SourceError || error.retryable) throw error;
    return { unread: unreadError(error) };
  }
}
