import { relative, sep } from 'node:path';
import type { Ignore } from 'ignore';

/** The rules of one `.gitignore`, which apply to its folder. */
export interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

export const GITIGNORE = '.gitignore';

/** As in git, the nearest `.gitignore` with a matching rule decides. */
export function isIgnored(path: string, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of all.toReversed()) {
    const below = relative(folder, path).split(sep).join('/') + (path.endsWith(sep) ? '/' : '');
    const { ignored, unignored } = rules.test(below);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
