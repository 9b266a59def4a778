import type { Group } from '../../model/lockfile.ts';
import { parseIntegrity } from '../ecosystems/npm-integrity.ts';
import type { PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import type { Root } from '../packages/spread-groups.ts';
import { connectWay, spreadGroupsOfWays, type Way, wayOf } from '../packages/ways.ts';
import type { Reading } from '../reading.ts';
import type { PnpmDocument, PnpmEntry, References } from './document.ts';
import { identify, withoutPeers } from './identity.ts';
import { ReferenceIndex } from './reference-index.ts';

/** Groups that the lists of an importer put packages in. pnpm's own packages are no dependencies of the target. */
const GROUPS: Readonly<Record<string, readonly Group[]>> = {
  dependencies: [],
  devDependencies: ['dev'],
  optionalDependencies: ['optional'],
  configDependencies: ['dev'],
};

/**
 * Finds what a reference leads to: an entry as it is installed with one set of peers. From lockfileVersion 9 on a package has
 * several of them where its peers differ.
 */
type Find = (name: string, reference: string) => Way | undefined;

/** Reads the packages of one document. */
export function takePackages(document: PnpmDocument, reading: Reading): void {
  const { packages, snapshots } = document;
  const drafts = new Map<string, PackageDraft>();
  const wanted = wantedKeys(document);
  for (const entry of packages) {
    if (wanted?.has(entry.key) === false) continue;
    const draft = takeEntry(entry, reading);
    if (draft !== undefined) drafts.set(withoutPeers(entry.key), draft);
  }
  const hasSnapshots = snapshots.length > 0;
  const entries = hasSnapshots ? snapshots : packages;
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
  const find = index.find.bind(index);
  for (const [at, { dependencies, optionalDependencies }] of held.entries()) {
    const way = ways[at];
    if (way !== undefined)
      connectWay(way, resolveAll(dependencies, find), resolveAll(optionalDependencies, find));
  }
  const roots = rootsOf(document, find);
  for (const { draft } of roots) draft.draft.direct = true;
  // Until lockfileVersion 6 every entry says which groups it is in.
  if (!hasSnapshots) return;
  spreadGroupsOfWays(roots, ways);
}

const NONE: readonly never[] = [];

function takeEntry(entry: PnpmEntry, reading: Reading): PackageDraft | undefined {
  const { key, line, dev, optional, resolution } = entry;
  const { name, version, source } = identify(entry);
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

/**
 * Keys of the entries that anything but pnpm itself leads to, in a document that holds pnpm: the first of a file, beside
 * what `configDependencies` ask for. `undefined` elsewhere: all are wanted.
 */
function wantedKeys(document: PnpmDocument): ReadonlySet<string> | undefined {
  const holdsPnpm = document.importers.some(({ lists }) => lists.has('packageManagerDependencies'));
  return holdsPnpm ? reachable(document) : undefined;
}

function reachable({ importers, packages, snapshots }: PnpmDocument): ReadonlySet<string> {
  const keys = new Set(packages.map(({ key }) => key));
  const byKey = new Map([...packages, ...snapshots].map((entry) => [withoutPeers(entry.key), entry]));
  const found = new Set<string>();
  const pending: string[] = importers.flatMap(({ lists }) =>
    [...lists].flatMap(([list, references]) => (GROUPS[list] === undefined ? [] : references)),
  );
  for (let reference = pending.pop(); reference !== undefined; reference = pending.pop()) {
    const name = pending.pop() ?? '';
    const key = [`${name}@${withoutPeers(reference)}`, withoutPeers(reference)].find((one) => keys.has(one));
    if (key === undefined || found.has(key)) continue;
    found.add(key);
    const entry = byKey.get(key);
    for (const one of entry?.dependencies ?? []) pending.push(one);
    for (const one of entry?.optionalDependencies ?? []) pending.push(one);
  }
  return found;
}
