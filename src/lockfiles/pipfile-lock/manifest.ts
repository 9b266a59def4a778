import { normalizedName } from '../ecosystems/python-names.ts';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { isTable, membersOf, parseToml } from '../syntax/parse-toml.ts';

/** Name of the manifest beside the lockfile. */
export const PIPFILE = 'Pipfile';

const NO_CATEGORIES: ReadonlySet<string> = new Set(['source', 'requires', 'scripts', 'pipenv']);

/** Normalised names of all packages that the Pipfile asks for; `undefined` when there is none or it cannot be read. */
export function namesInPipfile(input: LockfileInput): ReadonlySet<string> | undefined {
  const content = input.sibling?.(PIPFILE);
  if (content === undefined) return undefined;
  try {
    const root = parseToml(content.toString('utf8').replace(/^\uFEFF/, ''), PIPFILE);
    const categories = membersOf(root).filter(([name, table]) => !NO_CATEGORIES.has(name) && isTable(table));
    return new Set(categories.flatMap(([, table]) => membersOf(table).map(([name]) => normalizedName(name))));
  } catch (error) {
    // The manifest only adds what the lockfile does not say; its faults are not the lockfile's.
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}
