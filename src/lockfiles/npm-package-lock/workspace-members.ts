import { isEntry } from './entry.ts';

/** Projects have fewer patterns. Beyond the limit all folders count as members. */
const MAX_PATTERNS = 200;

/** Returns a check for workspace members. `workspaces` is that of the root: a list of patterns or `{packages}`. */
export function createMemberCheck(workspaces: unknown): (folder: string) => boolean {
  const stated: unknown = isEntry(workspaces) ? workspaces.packages : workspaces;
  const patterns = Array.isArray(stated) ? stated.filter((pattern) => typeof pattern === 'string') : [];
  // Braces, classes and extended patterns are rare and not evaluated: all folders count as members.
  if (patterns.length > MAX_PATTERNS || patterns.some((pattern) => /[{}[\]()]/.test(pattern)))
    return () => true;
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!')).map(segmentsOf);
  const unwanted = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => segmentsOf(pattern.slice(1)));
  return (folder) => {
    const path = segmentsOf(folder);
    return wanted.some((one) => matches(one, path)) && !unwanted.some((one) => matches(one, path));
  };
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** Matches segment by segment; `**` matches any number of segments. */
function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return wildcard(pattern, path, '**', segmentMatches);
}

function segmentMatches(pattern: string, segment: string): boolean {
  return wildcard([...pattern], [...segment], '*', (one, character) => one === '?' || one === character);
}

/** Backtracks to the last star only, so the time is at most the product of both lengths. */
function wildcard(
  pattern: readonly string[],
  subject: readonly string[],
  star: string,
  equals: (pattern: string, subject: string) => boolean,
): boolean {
  let at = 0;
  let starAt = -1;
  let resume = 0;
  for (let index = 0; index < subject.length; ) {
    const wanted = pattern[at];
    if (wanted === star) {
      starAt = at;
      at += 1;
      resume = index;
    } else if (wanted !== undefined && equals(wanted, subject[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (starAt >= 0) {
      at = starAt + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return pattern.slice(at).every((rest) => rest === star);
}
