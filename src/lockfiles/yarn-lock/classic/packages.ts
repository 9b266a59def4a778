import type { Integrity, Source } from '../../../model/lockfile/lockfile.ts';
import { parseIntegrity, registryName, sourceOf, versionOfTarball } from '../../ecosystems/npm-source.ts';
import { LockfileError } from '../../errors.ts';
import type { LockfileInput } from '../../format.ts';
import { draftLockedPackage, type LockfileBuilder } from '../../packages/lockfile-builder.ts';
import { connectAll, type PackageDraft } from '../../packages/package-collector.ts';
import { REGISTRY } from '../../packages/sources.ts';
import { aliasedName, DescriptorIndex } from '../descriptor.ts';
import { applyManifest, type PackageNeeds, readManifest } from '../manifest.ts';
import { type ClassicEntry, readEntries, splitPatterns } from './entries.ts';

interface Read {
  readonly entry: ClassicEntry;
  readonly draft: PackageDraft;
}

/** Reads a yarn.lock of version 1. */
export function readClassic(input: LockfileInput, builder: LockfileBuilder): void {
  const { path } = input;
  const entries = readEntries(input, builder);
  if (typeof entries === 'number') {
    throw new LockfileError('syntax', `${path}:${entries}: unresolved merge conflict`);
  }
  if (entries.length === 0 && builder.problemCount > 0) {
    const [first] = builder.content().problems;
    throw new LockfileError('wrong-format', `${path}:${first?.line}: this is not a yarn.lock`);
  }
  const index = new DescriptorIndex();
  const read: Read[] = [];
  for (const entry of entries) {
    const draft = addEntry(entry, builder, index);
    if (draft !== undefined) read.push({ entry, draft });
  }
  for (const { entry, draft } of read) {
    connectAll(draft, index.findAll(entry.dependencies), index.findAll(entry.optionalDependencies));
  }
  const cut = index.firstCut(
    entries.flatMap(({ dependencies, optionalDependencies }) => [...dependencies, ...optionalDependencies]),
  );
  if (cut !== undefined) builder.lacksEntry(cut);
  applyManifest(readManifest(input), index, false, () => needsOf(read, index));
}

function addEntry(
  entry: ClassicEntry,
  builder: LockfileBuilder,
  index: DescriptorIndex,
): PackageDraft | undefined {
  const patterns = splitPatterns(entry.key);
  const [first = ''] = patterns;
  const draft = builder.add(
    draftOf(entry, first.slice(0, endOfName(first)), patterns),
    entry.line,
    patterns.length === 1 ? first : patterns.join(', '),
  );
  if (draft === undefined) return undefined;
  for (const pattern of patterns) {
    const at = endOfName(pattern);
    index.add(pattern.slice(0, at), pattern.slice(at + 1), draft);
  }
  return draft;
}

/** Position of the `@` before the range. */
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
  let alias: string | undefined;
  for (const pattern of patterns) alias ??= aliasedName(rangeOf(pattern));
  return draftLockedPackage({
    ecosystem: 'npm',
    name: registryName(source, alias ?? name),
    version: version === '' ? versionOfTarball(source) : version,
    source,
    line,
    integrity: integrity === undefined ? digestIn(resolved, source) : parseIntegrity(integrity),
  });
}

/** Before yarn 1.10 the only digest was the SHA-1 in the fragment of the URL. */
function digestIn(resolved: string | undefined, { kind }: Source): readonly Integrity[] {
  if (kind === 'git') return NONE;
  const value = /#([0-9a-f]{40})$/.exec(resolved ?? '')?.[1];
  return value === undefined ? NONE : [{ algorithm: 'sha1', value, encoding: 'hex' }];
}

const NONE: readonly never[] = [];

function* needsOf(read: readonly Read[], index: DescriptorIndex): Iterable<PackageNeeds> {
  for (const { entry, draft } of read) {
    // yarn writes an optional dependency to both lists.
    const optional = new Set(index.findAll(entry.optionalDependencies));
    const always = index.findAll(entry.dependencies).filter((one) => !optional.has(one));
    yield { draft, always, optional: [...optional] };
  }
}

const PLACE = /^(?:file|link|portal):|^\.{0,2}\//;
const IN_MIRROR = /^[^/:]+\.tgz(?:#|$)/;

/** The source of an entry: from `resolved`, else from a pattern. Either can contain the commit. */
function sourceOfEntry(resolved: string | undefined, patterns: readonly string[]): Source {
  // The first versions of yarn wrote the name of a file in an offline mirror.
  if (resolved === undefined || IN_MIRROR.test(resolved)) {
    const place = patterns.map(rangeOf).find((range) => PLACE.test(range));
    return place === undefined ? REGISTRY : sourceOf(place.replace(/^portal:/, 'file:'), undefined);
  }
  const source = sourceOf(resolved, undefined);
  if (source.kind !== 'git' || source.commit !== undefined) return source;
  for (const pattern of patterns) {
    const stated = sourceOf(rangeOf(pattern), undefined);
    if (stated.kind === 'git' && stated.commit !== undefined) return { ...source, commit: stated.commit };
  }
  return source;
}

function rangeOf(pattern: string): string {
  const at = pattern.indexOf('@', 1);
  return at < 0 ? '' : pattern.slice(at + 1);
}
