import type { Integrity, Source } from '../../../model/scan/lockfile.ts';
import { parseIntegrity } from '../../ecosystems/npm-integrity.ts';
import { LockfileError } from '../../errors.ts';
import type { LockfileInput } from '../../format.ts';
import { connectAll, PackageCollector, type PackageDraft } from '../../packages/package-collector.ts';
import { draftPackage } from '../../packages/package-draft.ts';
import { ProblemList } from '../../packages/problem-list.ts';
import { aliasedName, DescriptorIndex } from '../descriptor.ts';
import { applyManifest } from '../direct.ts';
import { type Manifest, readManifest } from '../manifest.ts';
import { type ClassicEntry, readEntries, splitPatterns } from './entries.ts';
import { registryName, sourceOfEntry } from './source.ts';

interface Read {
  readonly entry: ClassicEntry;
  readonly draft: PackageDraft;
}

/** Reads a yarn.lock of version 1. */
export function readClassic(input: LockfileInput) {
  const { text, path } = input;
  const problems = new ProblemList();
  const entries = readEntries(text, problems);
  if ('conflict' in entries) {
    throw new LockfileError('syntax', `${path}:${entries.conflict}: unresolved merge conflict`);
  }
  if (entries.length === 0 && problems.count > 0) {
    throw new LockfileError('wrong-format', `${path}:${problems.all()[0]?.line}: this is no yarn.lock`);
  }
  const collector = new PackageCollector();
  const index = new DescriptorIndex<PackageDraft>();
  const read: Read[] = [];
  for (const entry of entries) {
    const stated = takeEntry(entry, collector, index);
    if (typeof stated !== 'string') read.push({ entry, draft: stated });
    else problems.add(entry.line, `"${splitPatterns(entry.key).join(', ').slice(0, 200)}" ${stated}`);
  }
  for (const { entry, draft } of read) connectEntry(entry, draft, index);
  const manifest = readManifest(input);
  if (manifest !== undefined) useManifest(manifest, read, index);
  return { packages: collector.packages(), problems: problems.all() };
}

function takeEntry(
  entry: ClassicEntry,
  collector: PackageCollector,
  index: DescriptorIndex<PackageDraft>,
): PackageDraft | string {
  const patterns = splitPatterns(entry.key);
  const [first = ''] = patterns;
  const end = endOfName(first);
  const stated = draftOf(entry, first.slice(0, end), patterns);
  if (typeof stated === 'string') return stated;
  const draft = collector.add(stated);
  for (const pattern of patterns) {
    const at = endOfName(pattern);
    index.add(pattern.slice(0, at), pattern.slice(at + 1), draft);
  }
  return draft;
}

/** The `@` before the range. */
function endOfName(pattern: string): number {
  const at = pattern.indexOf('@', 1);
  return at < 0 ? pattern.length : at;
}

function draftOf(
  { version, resolved, integrity, line }: ClassicEntry,
  name: string,
  patterns: readonly string[],
): PackageDraft | string {
  const source: Source = sourceOfEntry(resolved, patterns);
  if (version === '' && source.kind === 'registry') return 'has no version';
  const range = patterns[0]?.slice(name.length + 1) ?? '';
  return draftPackage({
    ecosystem: 'npm',
    name: registryName(source, aliasedName(range) ?? name),
    version,
    source,
    line,
    integrity: integrity === undefined ? digestIn(resolved, source) : parseIntegrity(integrity),
  });
}

/** Before yarn 1.10 the SHA-1 of the archive stood behind its URL alone. */
function digestIn(resolved: string | undefined, { kind }: Source): readonly Integrity[] {
  if (kind === 'git') return NONE;
  const value = /#([0-9a-f]{40})$/.exec(resolved ?? '')?.[1];
  return value === undefined ? NONE : [{ algorithm: 'sha1', value, encoding: 'hex' }];
}

function connectEntry(entry: ClassicEntry, draft: PackageDraft, index: DescriptorIndex<PackageDraft>): void {
  const always = neededBy(entry.dependencies, index);
  const optional = neededBy(entry.optionalDependencies, index);
  connectAll(draft, always, optional);
}

const NONE: readonly never[] = [];

function neededBy(list: string[] | undefined, index: DescriptorIndex<PackageDraft>): readonly PackageDraft[] {
  if (list === undefined) return NONE;
  const found: PackageDraft[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const draft = index.find(list[at] ?? '', list[at + 1] ?? '');
    if (draft !== undefined) found.push(draft);
  }
  return found;
}

function useManifest(manifest: Manifest, read: readonly Read[], index: DescriptorIndex<PackageDraft>): void {
  const needs = new Map<PackageDraft, { always: PackageDraft[]; optional: PackageDraft[] }>();
  for (const { entry, draft } of read) {
    const known = needs.get(draft) ?? { always: [], optional: [] };
    // yarn writes an optional dependency into both lists.
    const optional = new Set(neededBy(entry.optionalDependencies, index));
    for (const one of optional) known.optional.push(one);
    for (const one of neededBy(entry.dependencies, index)) if (!optional.has(one)) known.always.push(one);
    needs.set(draft, known);
  }
  applyManifest(manifest, index, needs.keys(), (draft) => needs.get(draft));
}
