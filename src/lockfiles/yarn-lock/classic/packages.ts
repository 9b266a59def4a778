import type { Problem, Source } from '../../../model/lockfile.ts';
import { LockfileError } from '../../errors.ts';
import type { LockfileInput } from '../../format.ts';
import { parseIntegrity } from '../../npm-integrity.ts';
import { sourceOf } from '../../npm-source.ts';
import { connect, PackageCollector, type PackageDraft } from '../../package-collector.ts';
import { draftPackage } from '../../package-draft.ts';
import { aliasedName, type Descriptor, DescriptorIndex, parseDescriptor } from '../descriptor.ts';
import { applyManifest } from '../direct.ts';
import { readManifest } from '../manifest.ts';
import { type ClassicEntry, readEntries } from './entries.ts';

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
  const read: { readonly entry: ClassicEntry; readonly draft: PackageDraft }[] = [];
  for (const entry of entries) {
    const descriptors = entry.patterns.map(parseDescriptor);
    const stated = draftOf(entry, descriptors);
    if (typeof stated === 'string') {
      problems.push({ line: entry.line, message: `"${entry.patterns.join(', ').slice(0, 200)}" ${stated}` });
      continue;
    }
    const draft = collector.add(stated);
    read.push({ entry, draft });
    for (const descriptor of descriptors) index.add(descriptor, draft);
  }
  const needs = connectAll(read, index);
  const manifest = readManifest(input);
  const drafts = read.map(({ draft }) => draft);
  if (manifest !== undefined) applyManifest(manifest, index, drafts, (draft) => needs.get(draft));
  return { packages: collector.packages(), problems };
}

function connectAll(
  read: readonly { readonly entry: ClassicEntry; readonly draft: PackageDraft }[],
  index: DescriptorIndex<PackageDraft>,
) {
  const needs = new Map<PackageDraft, { always: PackageDraft[]; optional: PackageDraft[] }>();
  for (const { entry, draft } of read) {
    const needed = needs.get(draft) ?? { always: [], optional: [] };
    const ids: string[] = [];
    for (const [list, into] of [
      [entry.dependencies, needed.always],
      [entry.optionalDependencies, needed.optional],
    ] as const) {
      for (const [name, range] of list) {
        const found = index.find(name, range);
        if (found === undefined) continue;
        into.push(found);
        if (!ids.includes(found.id)) ids.push(found.id);
      }
    }
    needs.set(draft, needed);
    connect(draft, ids);
  }
  return needs;
}

function draftOf(entry: ClassicEntry, descriptors: readonly Descriptor[]): PackageDraft | string {
  const { version, resolved, integrity, line } = entry;
  const source = sourceOfEntry(resolved, descriptors);
  if (version === '' && source.kind === 'registry') return 'has no version';
  return draftPackage({
    ecosystem: 'npm',
    name: nameOf(descriptors, source),
    version,
    source,
    line,
    integrity: parseIntegrity(integrity),
  });
}

/** Without `resolved` the pattern says where it comes from; a commit may stand in either. */
function sourceOfEntry(resolved: string | undefined, descriptors: readonly Descriptor[]): Source {
  const place = descriptors.find(({ range }) => /^(?:file|link|portal):|^\.{0,2}\//.test(range))?.range;
  if (resolved === undefined)
    return place === undefined
      ? { kind: 'registry' }
      : sourceOf(place.replace(/^portal:/, 'file:'), undefined);
  const source = sourceOf(resolved, undefined);
  if (source.kind !== 'git' || source.commit !== undefined) return source;
  for (const { range } of descriptors) {
    const stated = sourceOf(range, undefined);
    if (stated.kind === 'git' && stated.commit !== undefined) return { ...source, commit: stated.commit };
  }
  return source;
}

const TARBALL = /\/((?:(?:@|%40)[^/]+(?:\/|%2f))?[^/@%]+)\/-\/[^/]*$/i;

/** The name in the registry, which a tarball tells even where an override replaced one package by another. */
function nameOf(descriptors: readonly Descriptor[], source: Source): string {
  const [first] = descriptors;
  if (first === undefined) return '';
  const name = aliasedName(first.range) ?? first.name;
  if (source.kind !== 'registry' || source.url === undefined) return name;
  const at = source.url.indexOf(`/${name}/-/`);
  // Nearly always the same name, and never below the scope of another.
  if (at >= 0 && (name.startsWith('@') || !/[/](?:@|%40)[^/]*$/i.test(source.url.slice(0, at)))) return name;
  const found = TARBALL.exec(source.url.replace(/[?#].*$/, ''))?.[1];
  return found === undefined ? name : found.replace(/%40/i, '@').replace(/%2f/i, '/');
}
