import type { Group } from '../../model/lockfile/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-source.ts';
import { draftLockedPackage, type LockfileBuilder } from '../packages/lockfile-builder.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import type { Instance, Root } from '../packages/propagate-groups.ts';
import { connectInstance, newInstance, propagateGroupsOfInstances } from '../packages/propagate-groups.ts';
import type { PnpmDocument, PnpmEntry, Reference, References } from './document.ts';
import { identify, withoutPeers } from './identity.ts';

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
type Find = (reference: Reference) => Instance | undefined;

/** Adds the packages of all documents. A package that one of them needs unconditionally is in no group. */
export function addPackages(documents: readonly PnpmDocument[], builder: LockfileBuilder): void {
  const roots: Root<Instance>[] = [];
  const instances: Instance[] = [];
  for (const document of documents) {
    for (const { isEmpty } of document.importers) builder.own(!isEmpty);
    const held = readDocument(document, builder);
    for (const { draft: instance } of held.roots) instance.draft.direct = true;
    // Up to lockfileVersion 6 entries state their groups.
    if (document.snapshots.length === 0) continue;
    for (const root of held.roots) roots.push(root);
    for (const instance of held.instances) instances.push(instance);
  }
  propagateGroupsOfInstances(roots, instances);
}

function readDocument(document: PnpmDocument, builder: LockfileBuilder) {
  const { packages, snapshots } = document;
  const drafts = new Map(packages.map((entry) => [withoutPeers(entry.key), addEntry(entry, builder)]));
  const byKey = new Map<string, Instance>();
  const instances: Instance[] = [];
  const held: PnpmEntry[] = [];
  for (const entry of snapshots.length > 0 ? snapshots : packages) {
    const draft = drafts.get(withoutPeers(entry.key));
    if (draft === undefined) continue;
    const instance = newInstance(draft);
    byKey.set(entry.key, instance);
    instances.push(instance);
    held.push(entry);
  }
  const find = findOrReport(byKey, packages, builder);
  for (let at = 0; at < held.length; at += 1) {
    const { dependencies, optionalDependencies } = held[at] as PnpmEntry;
    connectInstance(
      instances[at] as Instance,
      resolveAll(dependencies, find),
      resolveAll(optionalDependencies, find),
    );
  }
  return { roots: rootsOf(document, find), instances };
}

/** References to the target's own folders, which have no entry. */
const OWN = /^(?:link|workspace):/;

/** Finds instances. Reports a reference without an entry once, because its package is installed. */
function findOrReport(
  byKey: ReadonlyMap<string, Instance>,
  packages: readonly PnpmEntry[],
  builder: LockfileBuilder,
): Find {
  const reported = new Set<string>();
  let keys: ReadonlySet<string> | undefined;
  return ({ name, reference }) => {
    const found = findByKey(byKey, name, reference);
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
  return keys.has(bare) || keysOf(name, bare).some((key) => keys.has(key));
}

/**
 * A reference is a version of the package, the key of another entry (an alias, a location), or `link:` for a folder of the
 * target, which has no entry.
 */
function findByKey<T>(byKey: ReadonlyMap<string, T>, name: string, reference: string): T | undefined {
  const usual = byKey.get(`${name}@${reference}`) ?? byKey.get(reference);
  if (usual !== undefined) return usual;
  const key = keysOf(name, reference).find((one) => byKey.has(one));
  return key === undefined ? undefined : byKey.get(key);
}

/** The keys of the versions of the format, the newest first. */
function keysOf(name: string, reference: string): readonly string[] {
  return [`${name}@${reference}`, `/${name}@${reference}`, `/${name}/${reference}`, `${name}/${reference}`];
}

const NONE: readonly never[] = [];

function addEntry(entry: PnpmEntry, builder: LockfileBuilder): PackageDraft | undefined {
  const { key, line, dev, optional, resolution } = entry;
  const { name, version, source } = identify(entry);
  const draft = draftLockedPackage({
    ecosystem: 'npm',
    name,
    version,
    source,
    line,
    direct: false,
    groups: dev || optional ? groupsOf(entry) : NONE,
    integrity: parseIntegrity(resolution?.integrity),
    installScript: entry.requiresBuild,
  });
  return builder.add(draft, line, key);
}

function groupsOf({ dev, optional }: PnpmEntry): readonly Group[] {
  return [...(dev ? ['dev' as const] : []), ...(optional ? ['optional' as const] : [])];
}

function resolveAll(references: References, find: Find): readonly Instance[] {
  const found: Instance[] = [];
  for (const reference of references) {
    const one = find(reference);
    if (one !== undefined) found.push(one);
  }
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
