import type { Group } from '../../model/scan/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/spread-groups.ts';
import { connectWay, spreadGroupsOfWays, type Way, wayOf } from '../packages/ways.ts';
import type { Reading } from '../reading.ts';
import type { PnpmDocument, PnpmEntry, References } from './document.ts';
import { identify, withoutPeers } from './identity.ts';
import { ReferenceIndex } from './reference-index.ts';

/** What pnpm installs beside the target's own dependencies: itself, and what configures it. */
const ENVIRONMENT: readonly Group[] = ['environment'];

/** Groups that the lists of an importer put packages in. */
const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  dependencies: [],
  devDependencies: ['dev'],
  optionalDependencies: ['optional'],
  configDependencies: ENVIRONMENT,
  packageManagerDependencies: ENVIRONMENT,
};

/**
 * Finds what a reference leads to: an entry as it is installed with one set of peers. From lockfileVersion 9 on a package has
 * several of them where its peers differ.
 */
type Find = (name: string, reference: string) => Way | undefined;

/** Reads the packages of all documents: what one of them needs unconditionally is in no group. */
export function takePackages(documents: readonly PnpmDocument[], reading: Reading): void {
  const roots: Root<Way>[] = [];
  const ways: Way[] = [];
  for (const document of documents) {
    const held = readDocument(document, reading);
    for (const { draft } of held.roots) draft.draft.direct = true;
    // Until lockfileVersion 6 every entry says which groups it is in.
    if (document.snapshots.length === 0) continue;
    for (const root of held.roots) roots.push(root);
    for (const way of held.ways) ways.push(way);
  }
  spreadGroupsOfWays(roots, ways);
}

interface Held {
  readonly roots: readonly Root<Way>[];
  readonly ways: readonly Way[];
}

function readDocument(document: PnpmDocument, reading: Reading): Held {
  const { packages, snapshots } = document;
  const drafts = new Map<string, PackageDraft>();
  for (const entry of packages) {
    const draft = takeEntry(entry, reading);
    if (draft !== undefined) drafts.set(withoutPeers(entry.key), draft);
  }
  const entries = snapshots.length > 0 ? snapshots : packages;
  const index = new ReferenceIndex<Way>();
  const ways: Way[] = [];
  const held: PnpmEntry[] = [];
  for (const entry of entries) {
    const draft = drafts.get(withoutPeers(entry.key));
    if (draft === undefined) continue;
    const way = wayOf(draft);
    index.add(entry.key, way);
    ways.push(way);
    held.push(entry);
  }
  const find = findOrReport(index, packages, reading);
  for (const [at, { dependencies, optionalDependencies }] of held.entries()) {
    const way = ways[at];
    if (way !== undefined)
      connectWay(way, resolveAll(dependencies, find), resolveAll(optionalDependencies, find));
  }
  return { roots: rootsOf(document, find), ways };
}

/** The target's own folders, which have no entry. */
const OWN = /^(?:link|workspace):/;

/** Finds entries. What a reference names that has no entry is installed all the same: a problem, told once. */
function findOrReport(index: ReferenceIndex<Way>, packages: readonly PnpmEntry[], reading: Reading): Find {
  const reported = new Set<string>();
  let keys: ReadonlySet<string> | undefined;
  return (name, reference) => {
    const found = index.find(name, reference);
    if (found !== undefined || OWN.test(reference)) return found;
    const shown = `${name}@${reference}`.slice(0, 200);
    if (reported.has(shown)) return undefined;
    keys ??= new Set(packages.map(({ key }) => withoutPeers(key)));
    // An entry that could not be read is a problem already; one without a snapshot is in the list.
    if (!hasEntry(keys, name, reference)) {
      reported.add(shown);
      reading.problem(undefined, `"${shown}" is asked for and has no entry in \`packages\``);
    }
    return undefined;
  };
}

function hasEntry(keys: ReadonlySet<string>, name: string, reference: string): boolean {
  const bare = withoutPeers(reference);
  return [`${name}@${bare}`, `/${name}@${bare}`, `/${name}/${bare}`, bare].some((key) => keys.has(key));
}

const NONE: readonly never[] = [];

function takeEntry(entry: PnpmEntry, reading: Reading): PackageDraft | undefined {
  const { key, line, dev, optional, resolution } = entry;
  const { name, version, source } = identify(entry);
  if (name === '') {
    reading.problem(line, `"${key.slice(0, 200)}" has no name`);
    return undefined;
  }
  if (version === '' && source.kind === 'registry') {
    reading.problem(line, `"${key.slice(0, 200)}" names no package with a version`);
    return undefined;
  }
  const groups: Group[] = [];
  if (dev) groups.push('dev');
  if (optional) groups.push('optional');
  const draft = draftPackage({
    ecosystem: 'npm',
    name,
    version,
    source,
    line,
    direct: false,
    groups,
    integrity: parseIntegrity(resolution?.integrity),
  });
  return reading.take(draft, line, key);
}

function resolveAll(references: References, find: Find): readonly Way[] {
  if (references.length === 0) return NONE;
  const found = new Array<Way>(references.length / 2);
  let count = 0;
  for (let at = 0; at < references.length; at += 2) {
    const one = find(references[at] ?? '', references[at + 1] ?? '');
    if (one !== undefined) found[count++] = one;
  }
  found.length = count;
  return found;
}

function rootsOf({ importers }: PnpmDocument, find: Find): readonly Root<Way>[] {
  const roots: Root<Way>[] = [];
  for (const { lists } of importers) {
    for (const [list, references] of lists) {
      const groups = GROUPS[list];
      if (groups === undefined) continue;
      for (const draft of resolveAll(references, find)) roots.push({ draft, groups });
    }
  }
  return roots;
}
