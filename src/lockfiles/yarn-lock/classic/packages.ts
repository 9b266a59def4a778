import type { Problem, Source } from '../../../model/lockfile.ts';
import { LockfileError } from '../../errors.ts';
import type { LockfileInput } from '../../format.ts';
import { parseIntegrity } from '../../npm-integrity.ts';
import { connect, PackageCollector, type PackageDraft } from '../../package-collector.ts';
import { draftPackage } from '../../package-draft.ts';
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
  const problems: Problem[] = [];
  const entries = readEntries(text, problems);
  if ('conflict' in entries) {
    throw new LockfileError('syntax', `${path}:${entries.conflict}: unresolved merge conflict`);
  }
  if (entries.length === 0 && problems.length > 0) {
    throw new LockfileError('wrong-format', `${path}:${problems[0]?.line}: this is no yarn.lock`);
  }
  const collector = new PackageCollector();
  const index = new DescriptorIndex<PackageDraft>();
  const read: Read[] = [];
  for (const entry of entries) {
    const stated = takeEntry(entry, collector, index);
    if (typeof stated !== 'string') read.push({ entry, draft: stated });
    else problems.push({ line: entry.line, message: `"${entry.key.slice(0, 200)}" ${stated}` });
  }
  for (const { entry, draft } of read) connectEntry(entry, draft, index);
  const manifest = readManifest(input);
  if (manifest !== undefined) useManifest(manifest, read, index);
  return { packages: collector.packages(), problems };
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
    integrity: parseIntegrity(integrity),
  });
}

function connectEntry(entry: ClassicEntry, draft: PackageDraft, index: DescriptorIndex<PackageDraft>): void {
  const ids: string[] = [];
  for (const { id } of neededBy(entry.dependencies, index)) if (!ids.includes(id)) ids.push(id);
  for (const { id } of neededBy(entry.optionalDependencies, index)) if (!ids.includes(id)) ids.push(id);
  connect(draft, ids);
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
    const optional = neededBy(entry.optionalDependencies, index);
    known.optional.push(...optional);
    known.always.push(...neededBy(entry.dependencies, index).filter((one) => !optional.includes(one)));
    needs.set(draft, known);
  }
  applyManifest(manifest, index, needs.keys(), (draft) => needs.get(draft));
}
