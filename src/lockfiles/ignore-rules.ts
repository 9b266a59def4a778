import { relative, sep } from 'node:path';
import type { Ignore } from 'ignore';

/** The rules of one `.gitignore`, which apply to its folder. */
export interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

export const GITIGNORE = '.gitignore';

/** Rules are not compared with deeper paths, which takes cubic time. Such files are searched. */
const MAX_DEPTH = 64;

/** Says whether a path is ignored. Like in git, the nearest `.gitignore` with a matching rule decides. */
export function isIgnored(path: string, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const below = relative(folder, path).split(sep).join('/') + trailing(path);
    if (below.split('/').length > MAX_DEPTH) continue;
    const { ignored, unignored } = rules.test(below);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** The `/` with which paths of folders end in rules and lists. */
export function trailing(path: string): string {
  return path.endsWith(sep) ? '/' : '';
}
