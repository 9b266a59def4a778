import type { Group } from '../../model/scan/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import {
  connectInstance,
  type Instance,
  newInstance,
  propagateGroupsOfInstances,
} from '../packages/instances.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftLockedPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/propagate-groups.ts';
import type { PnpmDocument, PnpmEntry, References } from './document.ts';
import { identify, withoutPeers } from './identity.ts';
import { ReferenceIndex } from './reference-index.ts';

/** Packages that pnpm itself needs. */
const ENVIRONMENT: readonly Group[] = ['environment'];

/** Groups of the lists of an importer. */
const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  dependencies: [],
  devDependencies: ['dev'],
  optionalDependencies: ['optional'],
  configDependencies: ENVIRONMENT,
  packageManagerDependencies: ENVIRONMENT,
};

/**
 * Finds the instance of a reference: a package with one set of peers. Since lockfileVersion 9 a package can have several
 * instances.
 */
type Find = (name: string, reference: string) => Instance | undefined;

/** Adds the packages of all documents. A package that one of them needs unconditionally is in no group. */
export function addPackages(documents: readonly PnpmDocument[], builder: LockfileBuilder): void {
  const roots: Root<Instance>[] = [];
  const instances: Instance[] = [];
  for (const document of documents) {
    const held = readDocument(document, builder);
    for (const { draft: instance } of held.roots) instance.draft.direct = true;
    // Up to lockfileVersion 6 entries state their groups.
    if (document.snapshots.length === 0) continue;
    for (const root of held.roots) roots.push(root);
    for (const instance of held.instances) instances.push(instance);
  }
  propagateGroupsOfInstances(roots, instances);
}

interface Held {
  readonly roots: readonly Root<Instance>[];
  readonly instances: readonly Instance[];
}

function readDocument(document: PnpmDocument, builder: LockfileBuilder): Held {
  const { packages, snapshots } = document;
  const drafts = new Map<string, PackageDraft>();
  for (const entry of packages) {
    const draft = addEntry(entry, builder);
    if (draft !== undefined) drafts.set(withoutPeers(entry.key), draft);
  }
  const entries = snapshots.length > 0 ? snapshots : packages;
  const index = new ReferenceIndex<Instance>();
  const instances: Instance[] = [];
  const held: PnpmEntry[] = [];
  for (const entry of entries) {
    const draft = drafts.get(withoutPeers(entry.key));
    if (draft === undefined) continue;
    const instance = newInstance(draft);
    index.add(entry.key, instance);
    instances.push(instance);
    held.push(entry);
  }
  const find = findOrReport(index, packages, builder);
  for (const [at, { dependencies, optionalDependencies }] of held.entries()) {
    const instance = instances[at];
    if (instance !== undefined)
      connectInstance(instance, resolveAll(dependencies, find), resolveAll(optionalDependencies, find));
  }
  return { roots: rootsOf(document, find), instances };
}

/** References to the target's own folders, which have no entry. */
const OWN = /^(?:link|workspace):/;

/** Finds instances. Reports a reference without an entry once, because its package is installed. */
function findOrReport(
  index: ReferenceIndex<Instance>,
  packages: readonly PnpmEntry[],
  builder: LockfileBuilder,
): Find {
  const reported = new Set<string>();
  let keys: ReadonlySet<string> | undefined;
  return (name, reference) => {
    const found = index.find(name, reference);
    if (found !== undefined || OWN.test(reference)) return found;
    const shown = `${name}@${reference}`.slice(0, 200);
    if (reported.has(shown)) return undefined;
    keys ??= new Set(packages.map(({ key }) => withoutPeers(key)));
    // An unreadable entry is a problem already; an entry without a snapshot is a package.
    if (!hasEntry(keys, name, reference)) {
      reported.add(shown);
      builder.problem(undefined, `"${shown}" is a dependency without an entry in \`packages\``);
    }
    return undefined;
  };
}

function hasEntry(keys: ReadonlySet<string>, name: string, reference: string): boolean {
  const bare = withoutPeers(reference);
  return [`${name}@${bare}`, `/${name}@${bare}`, `/${name}/${bare}`, bare].some((key) => keys.has(key));
}

const NONE: readonly never[] = [];

function addEntry(entry: PnpmEntry, builder: LockfileBuilder): PackageDraft | undefined {
  const { key, line, dev, optional, resolution } = entry;
  const { name, version, source } = identify(entry);
  const groups: Group[] = [];
  if (dev) groups.push('dev');
  if (optional) groups.push('optional');
  const draft = draftLockedPackage({
    ecosystem: 'npm',
    name,
    version,
    source,
    line,
    direct: false,
    groups,
    integrity: parseIntegrity(resolution?.integrity),
  });
  return builder.add(draft, line, key);
}

function resolveAll(references: References, find: Find): readonly Instance[] {
  if (references.length === 0) return NONE;
  const found = new Array<Instance>(references.length / 2);
  let count = 0;
  for (let at = 0; at < references.length; at += 2) {
    const one = find(references[at] ?? '', references[at + 1] ?? '');
    if (one !== undefined) found[count++] = one;
  }
  found.length = count;
  return found;
}

function rootsOf({ importers }: PnpmDocument, find: Find): readonly Root<Instance>[] {
  const roots: Root<Instance>[] = [];
  for (const { lists } of importers) {
    for (const [list, references] of lists) {
      const groups = GROUPS[list];
      if (groups === undefined) continue;
      for (const draft of resolveAll(references, find)) roots.push({ draft, groups });
    }
  }
  return roots;
}
