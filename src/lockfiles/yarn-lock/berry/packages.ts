import type { Integrity } from '../../../model/scan/lockfile.ts';
import type { LockfileInput } from '../../format.ts';
import { reportNewerVersion } from '../../newer-version.ts';
import { connectAll, PackageCollector, type PackageDraft } from '../../packages/package-collector.ts';
import { draftPackage } from '../../packages/package-draft.ts';
import { ProblemList } from '../../packages/problem-list.ts';
import { inOnePassOr } from '../../syntax/unknown-layout.ts';
import { DescriptorIndex } from '../descriptor.ts';
import { applyManifest } from '../direct.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import type { BerryEntry } from './entries.ts';
import { readGeneral } from './read-general.ts';
import { readLines } from './read-lines.ts';
import { isOwn, sourceOfResolution } from './resolution.ts';

/** An entry; without a draft it is the target's own folder. */
interface Read {
  readonly entry: BerryEntry;
  readonly draft: PackageDraft | undefined;
}

const METADATA_VERSION = /^__metadata:\r?\n(?: +[^ v\n][^\n]*\n)* +version: ["']?(\d+)/m;
const NEWEST_VERSION = 10;

/** Reads a yarn.lock of version 2 and later. Workspaces are the target itself, and what they ask for is direct. */
export function readBerry(input: LockfileInput) {
  const { text, path } = input;
  const entries = inOnePassOr(
    () => readLines(text),
    () => readGeneral(text, path),
  );
  const collector = new PackageCollector();
  const index = new DescriptorIndex<PackageDraft>();
  const problems = new ProblemList();
  reportNewerVersion(problems.add.bind(problems), METADATA_VERSION.exec(text)?.[1], NEWEST_VERSION);
  const read: Read[] = [];
  const direct = entries.some(({ resolution }) => resolution.includes('@workspace:')) ? false : undefined;
  for (const entry of entries) {
    const stated = draftOf(entry, direct);
    if (typeof stated === 'string') {
      problems.add(entry.line, `"${entry.key.slice(0, 200)}" ${stated}`);
      continue;
    }
    const draft = stated === undefined ? undefined : collector.add(stated);
    read.push({ entry, draft });
    if (draft !== undefined) addToIndex(entry.key, draft, index);
  }
  for (const { entry, draft } of read) {
    const needed = neededBy(entry, index);
    if (draft === undefined) for (const one of needed) one.direct = true;
    else connectAll(draft, needed, NONE);
  }
  const manifest = readManifest(input);
  // The dependencies of a folder and those for its development stand in one list: its manifest tells them apart.
  const hasOthers = read.filter(({ draft }) => draft === undefined).length > 1;
  if (manifest !== undefined && !hasOthers) useManifest(manifest, read, index);
  return { packages: collector.packages(), problems: problems.all() };
}

function addToIndex(key: string, draft: PackageDraft, index: DescriptorIndex<PackageDraft>): void {
  for (const descriptor of descriptorsIn(key)) {
    const at = descriptor.indexOf('@', 1);
    if (at > 0) index.add(descriptor.slice(0, at), descriptor.slice(at + 1), draft);
  }
}

/** Descriptors are separated by a comma and a space; what follows begins with a name and its `@`. */
function descriptorsIn(key: string): readonly string[] {
  if (!key.includes(', ')) return [key];
  const parts = key.split(', ');
  // A range may hold a comma and a space too.
  return parts.every((part) => /^@?[^@\s]+@/.test(part)) ? parts : key.split(/, (?=@?[^@,\s]+@)/);
}

function neededBy(
  { dependencies }: BerryEntry,
  index: DescriptorIndex<PackageDraft>,
  wanted: (name: string) => boolean = () => true,
): readonly PackageDraft[] {
  const found: PackageDraft[] = [];
  for (let at = 0; at < dependencies.length; at += 2) {
    const name = dependencies[at] ?? '';
    const draft = wanted(name) ? index.find(name, dependencies[at + 1] ?? '') : undefined;
    if (draft !== undefined) found.push(draft);
  }
  return found;
}

function useManifest(manifest: Manifest, read: readonly Read[], index: DescriptorIndex<PackageDraft>): void {
  const needs = new Map<PackageDraft, { always: PackageDraft[]; optional: PackageDraft[] }>();
  for (const { entry, draft } of read) {
    if (draft === undefined) continue;
    const known = needs.get(draft) ?? { always: [], optional: [] };
    const optional = new Set(entry.optional);
    for (const one of neededBy(entry, index, (name) => !optional.has(name))) known.always.push(one);
    for (const one of neededBy(entry, index, (name) => optional.has(name))) known.optional.push(one);
    needs.set(draft, known);
  }
  applyManifest({ ...manifest, hasWorkspaces: false }, index, needs.keys(), (draft) => needs.get(draft));
}

/** The package of an entry; `undefined` for the target's own folders. */
function draftOf(entry: BerryEntry, direct: false | undefined): PackageDraft | undefined | string {
  const { version, resolution, checksum, line } = entry;
  const at = resolution.indexOf('@', 1);
  if (at < 0) return 'has no resolution';
  const reference = resolution.slice(at + 1);
  if (isOwn(reference)) return undefined;
  const source = sourceOfResolution(reference);
  if (version === '' && source.kind === 'registry') return 'has no version';
  return draftPackage({
    ecosystem: 'npm',
    name: resolution.slice(0, at),
    version,
    source,
    line,
    direct,
    integrity: integrityOf(checksum),
  });
}

/** Characters of a SHA-512 in hexadecimal. */
const SHA512_LENGTH = 128;
const NONE: readonly never[] = [];

/** yarn's own: SHA-512 of the archive in its cache, after the version of the cache and a slash. */
function integrityOf(checksum: string | undefined): readonly Integrity[] {
  if (checksum === undefined) return NONE;
  const value = checksum.slice(checksum.lastIndexOf('/') + 1);
  return value.length === SHA512_LENGTH ? [{ algorithm: 'sha512', value, encoding: 'hex' }] : NONE;
}
