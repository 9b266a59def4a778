import { matchesWildcard } from '../../model/wildcard.ts';

/** Whether a name matches one of the patterns, in any case, with `*` for any text: `@corp/*`. */
export function privateNames(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const folded = patterns.map(caseFolded);
  return (name) => {
    const text = caseFolded(name);
    return folded.some((pattern) => matchesWildcard(pattern, text));
  };
}

/** Letters with several forms in lower case (`σ`, `ς`) have one in upper case. */
function caseFolded(text: string): string {
  return text.toUpperCase().toLowerCase();
}
