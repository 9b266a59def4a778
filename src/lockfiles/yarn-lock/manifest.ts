import { isObject } from '../../model/json-object.ts';
import type { Group } from '../../model/lockfile/lockfile.ts';
import type { LockfileInput } from '../format.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { type Needs, propagateGroups, type Root } from '../packages/propagate-groups.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { parseJson } from '../syntax/parse-json.ts';
import { membersOf } from '../syntax/parse-toml.ts';
import type { DescriptorIndex } from './descriptor.ts';

/** The manifest in the folder of the lockfile. */
export const MANIFEST = 'package.json';

/** A direct dependency: a name, a range and the groups of its list. */
interface Request {
  readonly name: string;
  readonly range: string;
  readonly groups: readonly Group[];
}

export interface Manifest {
  /** `resolutions` by selector: `name`, `name@range`, `parent/name`, `parent@reference/name@range`. The first one that fits counts. */
  readonly selections: ReadonlyMap<string, { readonly place: number; readonly range: string }>;
  readonly requests: readonly Request[];
  /** Whether other folders have manifests, too. */
  readonly hasWorkspaces: boolean;
}

const LISTS: readonly (readonly [string, readonly Group[]])[] = [
  ['dependencies', []],
  ['devDependencies', ['dev']],
  ['optionalDependencies', ['optional']],
  ['peerDependencies', ['peer']],
];

/** Reads the package.json; `undefined` when it is absent or unreadable. */
export function readManifest(input: LockfileInput): Manifest | undefined {
  const root = readCompanion(input, MANIFEST, (text) => parseJson(text, MANIFEST, 'a package.json'));
  if (!isObject(root)) return undefined;
  const requests = LISTS.flatMap(([list, groups]) =>
    membersOf(root[list]).flatMap(([name, range]): readonly Request[] =>
      typeof range === 'string' ? [{ name, range, groups }] : [],
    ),
  );
  const selections = membersOf(root['resolutions']).flatMap(([selector, range], place) =>
    typeof range === 'string' ? [[selector, { place, range }] as const] : [],
  );
  return { requests, selections: new Map(selections), hasWorkspaces: root['workspaces'] !== undefined };
}

/** The dependencies of a package. */
export interface PackageNeeds extends Needs<PackageDraft> {
  readonly draft: PackageDraft;
}

/**
 * Marks the direct dependencies in the manifest and propagates its groups. With workspaces, whose manifests are not
 * available, it only marks: a package that one folder needs for development may be needed always by another. `isComplete`:
 * whether the file itself shows that there are no other folders.
 */
export function applyManifest(
  manifest: Manifest | undefined,
  index: DescriptorIndex,
  isComplete: boolean,
  needsOf: () => Iterable<PackageNeeds>,
): void {
  if (manifest === undefined) return;
  const roots: Root<PackageDraft>[] = manifest.requests.flatMap(({ name, range, groups }) => {
    const draft = index.find(name, range);
    return draft === undefined ? [] : [{ draft, groups }];
  });
  const propagates = isComplete || !manifest.hasWorkspaces;
  const needs = propagates ? mergeNeeds(needsOf()) : undefined;
  for (const draft of needs?.keys() ?? []) draft.direct = false;
  for (const { draft } of roots) draft.direct = true;
  if (needs !== undefined) propagateGroups(roots, (draft) => needs.get(draft));
}

/** A package can have several entries. */
function mergeNeeds(all: Iterable<PackageNeeds>): ReadonlyMap<PackageDraft, Needs<PackageDraft>> {
  const merged = new Map<PackageDraft, { always: PackageDraft[]; optional: PackageDraft[] }>();
  for (const { draft, always, optional } of all) {
    const known = merged.get(draft) ?? { always: [], optional: [] };
    for (const one of always) known.always.push(one);
    for (const one of optional) known.optional.push(one);
    merged.set(draft, known);
  }
  return merged;
}
