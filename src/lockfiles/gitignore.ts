import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import { codedError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import type { CodedError } from '../model/errors.ts';
import { isBoundedPattern } from '../model/wildcard.ts';
import { GITIGNORE, type IgnoreRules } from './ignore-rules.ts';

/** Every rule is compared with every file. */
const MAX_GITIGNORE_BYTES = 262_144;

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
    const lines = text.toString('utf8').split('\n');
    return {
      folder,
      // What the others would leave out is searched. Names that differ in case are the same to git on some systems only.
      rules: ignore({ ignorecase: false }).add(lines.filter(isBoundedPattern).join('\n')),
    };
  } catch (error) {
    return codedError(path, error);
  }
}
