import type { Integrity, Problem } from '../../../model/lockfile.ts';
import type { LockfileInput } from '../../format.ts';
import { connect, PackageCollector, type PackageDraft } from '../../package-collector.ts';
import { draftPackage } from '../../package-draft.ts';
import { UnknownYaml } from '../../yaml-lines.ts';
import { type Descriptor, DescriptorIndex, parseDescriptor } from '../descriptor.ts';
import { applyManifest } from '../direct.ts';
import { readManifest } from '../manifest.ts';
import type { BerryEntry } from './entries.ts';
import { readGeneral } from './read-general.ts';
import { readLines } from './read-lines.ts';
import { isOwn, sourceOfResolution } from './resolution.ts';

/** An entry; without a draft it is the target's own folder. */
interface Read {
  readonly entry: BerryEntry;
  readonly draft: PackageDraft | undefined;
}

/** Reads a yarn.lock of version 2 and later. Workspaces are the target itself, and what they ask for is direct. */
export function readBerry(input: LockfileInput) {
  const collector = new PackageCollector();
  const index = new DescriptorIndex<PackageDraft>();
  const problems: Problem[] = [];
  const read: Read[] = [];
  for (const entry of entriesOf(input)) {
    const { name, range } = parseDescriptor(entry.resolution);
    if (isOwn(range)) {
      read.push({ entry, draft: undefined });
      continue;
    }
    const stated = draftOf(entry, { name, range });
    if (typeof stated === 'string') {
      problems.push({ line: entry.line, message: `"${entry.key.slice(0, 200)}" ${stated}` });
      continue;
    }
    const draft = collector.add(stated);
    read.push({ entry, draft });
    for (const one of splitKey(entry.key)) index.add(parseDescriptor(one), draft);
  }
  const needs = connectAll(read, index);
  const manifest = readManifest(input);
  const own = read.filter(({ draft }) => draft === undefined);
  // The dependencies of a folder and those for its development stand in one list: its manifest tells them apart.
  if (manifest !== undefined && own.length <= 1) {
    const drafts = read.flatMap(({ draft }) => draft ?? []);
    applyManifest({ ...manifest, hasWorkspaces: false }, index, drafts, (draft) => needs.get(draft));
  }
  return { packages: collector.packages(), problems };
}

function entriesOf({ text, path }: LockfileInput): readonly BerryEntry[] {
  try {
    return readLines(text);
  } catch (error) {
    if (error instanceof UnknownYaml) return readGeneral(text, path);
    throw error;
  }
}

/** Descriptors are separated by a comma and a space, which stands in no range but between versions and after `||`. */
function splitKey(key: string): readonly string[] {
  return key.includes(', ') ? key.split(/, (?=@?[^@,\s]+@)/) : [key];
}

type Collected = { readonly always: PackageDraft[]; readonly optional: PackageDraft[] };

function connectAll(
  read: readonly Read[],
  index: DescriptorIndex<PackageDraft>,
): ReadonlyMap<PackageDraft, Collected> {
  const needs = new Map<PackageDraft, Collected>();
  const hasOwn = read.some(({ draft }) => draft === undefined);
  if (hasOwn) for (const { draft } of read) if (draft !== undefined) draft.direct = false;
  for (const { entry, draft } of read) {
    const needed = (draft === undefined ? undefined : needs.get(draft)) ?? { always: [], optional: [] };
    const found = needsOf(entry, index, needed);
    if (draft === undefined) for (const one of found) one.direct = true;
    else {
      needs.set(draft, needed);
      connect(draft, [...new Set(found.map(({ id }) => id))]);
    }
  }
  return needs;
}

/** Adds what an entry depends on to `needed`; gives all of it. */
function needsOf(
  entry: BerryEntry,
  index: DescriptorIndex<PackageDraft>,
  needed: Collected,
): readonly PackageDraft[] {
  const all: PackageDraft[] = [];
  for (const [name, range] of entry.dependencies) {
    const found = index.find(name, range);
    if (found === undefined) continue;
    (entry.optional.includes(name) ? needed.optional : needed.always).push(found);
    all.push(found);
  }
  return all;
}

function draftOf(
  { version, checksum, line }: BerryEntry,
  { name, range }: Descriptor,
): PackageDraft | string {
  if (range === '') return 'has no resolution';
  const source = sourceOfResolution(range);
  if (version === '' && source.kind === 'registry') return 'has no version';
  return draftPackage({ ecosystem: 'npm', name, version, source, line, integrity: integrityOf(checksum) });
}

/** yarn's own: SHA-512 of the archive in its cache, after the version of the cache and a slash. */
function integrityOf(checksum: string | undefined): readonly Integrity[] {
  if (checksum === undefined) return [];
  const value = checksum.slice(checksum.lastIndexOf('/') + 1);
  return /^[0-9a-f]{128}$/.test(value) ? [{ algorithm: 'sha512', value, encoding: 'hex' }] : [];
}
