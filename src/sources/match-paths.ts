import { glob, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { codedError } from '../files/errors.ts';
import { sharedFolder } from '../lockfiles/discover.ts';
import { SourceError } from './errors.ts';

/** Targets of one schedule, and matches of one source. */
const MAX_MATCHES = 10_000;

const WILDCARD = /[*?[\]{}!()]/;

/**
 * The files and folders on this machine that match. Throws `SourceError` (`too-large`) when they are too many. `base`: the deepest folder
 * that contains all patterns up to their first wildcard. `matches`: absolute paths of files and folders, sorted.
 */
export async function matchPaths(patterns: readonly string[], signal: AbortSignal) {
  const matches = new Set<string>();
  for (const pattern of patterns) {
    for await (const match of matchesOf(pattern)) {
      signal.throwIfAborted();
      matches.add(resolve(match));
      if (matches.size <= MAX_MATCHES) continue;
      throw new SourceError('too-large', `${pattern}: more than ${MAX_MATCHES} files and folders match`);
    }
  }
  return { base: sharedFolder(patterns.map(fixedPart)), matches: [...matches].sort() };
}

/** A path without wildcards matches itself, also when it does not exist: reading it then says so. */
async function* matchesOf(pattern: string): AsyncIterable<string> {
  if (!WILDCARD.test(pattern)) {
    yield pattern;
    return;
  }
  const base = fixedPart(pattern);
  try {
    await stat(base);
  } catch (error) {
    const fault = codedError(base, error);
    throw new SourceError(fault.code === 'not-found' ? 'not-found' : 'failed', fault.message, {
      cause: error,
    });
  }
  yield* glob(pattern);
}

/** The folder before the first part with a wildcard; for a path without one, the path itself. */
function fixedPart(pattern: string): string {
  const parts = pattern.split(/[\\/]/);
  const first = parts.findIndex((part) => WILDCARD.test(part));
  return first < 0 ? resolve(pattern) : resolve(parts.slice(0, first).join(sep) || sep);
}
