import type { Group } from '../../model/scan/lockfile.ts';
import type { LockfileInput } from '../format.ts';
import { isTable, membersOf, textIn } from '../syntax/parse-toml.ts';

/** Name of the manifest beside the lockfile. */
export const MANIFEST = 'package.json';

/** What the target asks for: a name, a range, and under which conditions. */
export interface Request {
  readonly name: string;
  readonly range: string;
  readonly groups: readonly Group[];
}

export interface Manifest {
  readonly requests: readonly Request[];
  /** Other folders of the target ask for packages too, and their manifests are not at hand. */
  readonly hasWorkspaces: boolean;
}

const LISTS: readonly (readonly [string, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

/** Reads the package.json beside the lockfile; `undefined` when there is none or it is none. */
export function readManifest(input: LockfileInput): Manifest | undefined {
  const content = input.sibling?.(MANIFEST);
  if (content === undefined) return undefined;
  let root: unknown;
  try {
    root = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    // The manifest only adds what the lockfile does not say; its faults are not the lockfile's.
    return undefined;
  }
  if (!isTable(root)) return undefined;
  const stated = root;
  const requests = LISTS.flatMap(([list, groups]) =>
    membersOf(stated[list]).flatMap(([name, range]): readonly Request[] => {
      const text = textIn(range);
      return text === undefined ? [] : [{ name, range: text, groups }];
    }),
  );
  return { requests, hasWorkspaces: stated['workspaces'] !== undefined };
}
