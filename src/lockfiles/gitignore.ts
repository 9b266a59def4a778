import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import { codedError } from '../files/errors.ts';
import { readFile } from '../files/read-file.ts';
import type { CodedError } from '../model/errors.ts';
import { GITIGNORE, type IgnoreRules } from './ignore-rules.ts';

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
