import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { codedError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import type { CodedError } from '../model/errors.ts';

/** The rules of one `.gitignore`, which apply to its folder. */
export interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

export const GITIGNORE = '.gitignore';

const MAX_GITIGNORE_BYTES = 4_194_304;

/** Returns the rules of a folder, or why they cannot be read; `undefined` for a folder without `.gitignore`. */
export async function readIgnoreRules(
  root: string,
  folder: string,
  entries: readonly Dirent[],
): Promise<IgnoreRules | CodedError | undefined> {
  if (!entries.some((entry) => entry.name === GITIGNORE && entry.isFile())) return undefined;
  const path = join(folder, GITIGNORE);
  try {
    const text = await readFile(path, { maxBytes: MAX_GITIGNORE_BYTES, within: root });
    return { folder, rules: ignore().add(text.toString('utf8')) };
  } catch (error) {
    return codedError(path, error);
  }
}

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
