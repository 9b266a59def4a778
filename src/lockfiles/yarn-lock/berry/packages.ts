import querystring from 'node:querystring';
import type { Integrity, Source } from '../../../model/lockfile/lockfile.ts';
import { registryName, sourceOf, versionOfTarball } from '../../ecosystems/npm-source.ts';
import type { LockfileInput } from '../../format.ts';
import { draftLockedPackage, type LockfileBuilder } from '../../packages/lockfile-builder.ts';
import { connectAll, type PackageDraft } from '../../packages/package-collector.ts';
import { REGISTRY } from '../../packages/sources.ts';
import { readYaml, type YamlReader } from '../../syntax/read-yaml.ts';
import { type Descriptor, DescriptorIndex } from '../descriptor.ts';
import { applyManifest, type Manifest, type PackageNeeds, readManifest } from '../manifest.ts';

/** An entry in the words of the file. */
export interface BerryEntry {
  /** `a@npm:^1, b@npm:^2`. */
  readonly key: string;
  readonly line: number | undefined;
  version: string;
  resolution: string;
  checksum: string | undefined;
  dependencies: readonly Descriptor[];
  /** Names of the optional ones among them. */
  optional: readonly string[];
  /** The last field that Yarn writes. */
  linkType: string | undefined;
}

/** An entry has no draft when it is a folder of the target. */
interface Read {
  readonly entry: BerryEntry;
  readonly draft: PackageDraft | undefined;
}

const METADATA_VERSION = /^__metadata:\r?\n(?: +[^ v\n][^\n]*\n)* +version: ["']?(\d+)/m;
const NEWEST_VERSION = 10;

/** Reads a yarn.lock of version 2 and later. Workspaces are the target, and their dependencies are direct. */
export function readBerry(input: LockfileInput, builder: LockfileBuilder): void {
  const entries = readYaml(input, readEntries).flat();
  const index = new DescriptorIndex();
  builder.checkVersion(METADATA_VERSION.exec(input.text)?.[1], NEWEST_VERSION);
  const read: Read[] = [];
  const direct = entries.some(({ resolution }) => resolution.includes('@workspace:')) ? false : undefined;
  for (const entry of entries) {
    const stated = draftOf(entry, direct);
    if (stated === undefined)
      builder.own(!entry.linkType || entry.dependencies.some(({ range }) => !range.startsWith('workspace:')));
    const draft = stated === undefined ? undefined : builder.add(stated, entry.line, entry.key);
    if (draft !== undefined) addToIndex(entry.key, draft, index);
    if (draft !== undefined || stated === undefined) read.push({ entry, draft });
  }
  const manifest = readManifest(input);
  for (const { entry, draft } of read) {
    entry.dependencies = selectedBy(manifest, entry, index);
    const needed = index.findAll(entry.dependencies);
    if (draft === undefined) for (const one of needed) one.direct = true;
    else connectAll(draft, needed, NONE);
  }
  checkEnd(entries, builder);
  // An entry of a folder has its dependencies and devDependencies in one list: only the manifest distinguishes them.
  const ownFolders = read.filter(({ draft }) => draft === undefined).length;
  if (ownFolders <= 1) applyManifest(manifest, index, true, () => needsOf(read, index));
}

/** The dependencies with what `resolutions` select in the place of what the entry requires, which is what the file states. */
function selectedBy(
  manifest: Manifest | undefined,
  { resolution, dependencies }: BerryEntry,
  index: DescriptorIndex,
): readonly Descriptor[] {
  const { selections } = manifest ?? {};
  if (selections === undefined || selections.size === 0) return dependencies;
  const owner = nameOf(resolution);
  const parents = ['', ...spellings(owner, resolution.slice(owner.length + 1)).map((one) => `${one}/`)];
  return dependencies.map((required) => {
    const { name, range } = required;
    const [first] = parents
      .flatMap((parent) => spellings(name, range).flatMap((one) => selections.get(parent + one) ?? []))
      .sort((left, right) => left.place - right.place);
    return first === undefined || index.find(name, first.range) === undefined ? required : { name, ...first };
  });
}

/** A package in the words of a selector: without a range, with it, and without its protocol `npm:`. */
function spellings(name: string, range: string): readonly string[] {
  return [name, `${name}@${range}`, `${name}@${range.replace(/^npm:/, '')}`];
}

/** Yarn locks every dependency, optional ones too, under its own name. */
function checkEnd(entries: readonly BerryEntry[], builder: LockfileBuilder): void {
  const names = new Set(entries.flatMap(({ key }) => descriptorsIn(key).map(nameOf)));
  for (const { dependencies } of entries)
    for (const { name, range } of dependencies)
      if (!names.has(name) && !range.startsWith('workspace:')) builder.lacksEntry(name);
}

function* needsOf(read: readonly Read[], index: DescriptorIndex): Iterable<PackageNeeds> {
  for (const { entry, draft } of read) {
    if (draft === undefined) continue;
    const optional = new Set(entry.optional);
    const { dependencies } = entry;
    yield {
      draft,
      always: index.findAll(dependencies.filter(({ name }) => !optional.has(name))),
      optional: index.findAll(dependencies.filter(({ name }) => optional.has(name))),
    };
  }
}

function addToIndex(key: string, draft: PackageDraft, index: DescriptorIndex): void {
  for (const descriptor of descriptorsIn(key)) {
    const at = descriptor.indexOf('@', 1);
    if (at > 0) index.add(descriptor.slice(0, at), descriptor.slice(at + 1), draft);
  }
}

function nameOf(descriptor: string): string {
  return /^.[^@]*/.exec(descriptor)?.[0] ?? '';
}

/** Splits at commas followed by a descriptor, because a range can contain a comma and a space, too. */
function descriptorsIn(key: string): readonly string[] {
  if (!key.includes(', ')) return [key];
  const parts = key.split(', ');
  return parts.every((part) => /^@?[^@\s]+@/.test(part)) ? parts : key.split(/, (?=@?[^@,\s]+@)/);
}

/** Returns the package of an entry, or why it cannot be read; `undefined` for a folder of the target. */
function draftOf(entry: BerryEntry, direct: false | undefined): PackageDraft | undefined | string {
  const { version, resolution, checksum, line } = entry;
  const at = resolution.indexOf('@', 1);
  if (at < 0) return 'has no resolution';
  const reference = resolution.slice(at + 1);
  if (reference.startsWith('workspace:')) return undefined;
  const source = sourceOfResolution(reference);
  const name = resolution.slice(0, at);
  return draftLockedPackage({
    ecosystem: 'npm',
    // The manifest may give the tarball of a registry another name.
    name: reference.startsWith('npm:') ? name : registryName(source, name),
    version: version === '' ? (versionIn(reference) ?? versionOfTarball(source)) : version,
    source,
    line,
    direct,
    integrity: integrityOf(checksum),
  });
}

/** Length of a SHA-512 in hexadecimal. */
const SHA512_LENGTH = 128;
const NONE: readonly never[] = [];

/** The version of yarn's cache, a slash, and the SHA-512 of the archive in that cache. */
function integrityOf(checksum: string | undefined): readonly Integrity[] {
  if (checksum === undefined) return NONE;
  const value = checksum.slice(checksum.lastIndexOf('/') + 1);
  return value.length === SHA512_LENGTH ? [{ algorithm: 'sha512', value, encoding: 'hex' }] : NONE;
}

/** The version in `npm:1.0.0::__archiveUrl=…`. */
function versionIn(reference: string): string | undefined {
  const [stated = ''] = reference.split('::', 1);
  return /^npm:\d+\.\d+\.\d/.test(stated) ? stated.slice('npm:'.length) : undefined;
}

/** The source of a resolution, from the part after the name. */
function sourceOfResolution(reference: string): Source {
  if (reference.startsWith('npm:')) return registrySource(reference);
  if (reference.startsWith('patch:')) return patchedSource(reference);
  if (/^(?:file|link|portal|exec):/.test(reference)) {
    return { kind: 'path', path: reference.replace(/^[a-z]+:/, '').replace(/(?:::|#).*$/s, '') };
  }
  return sourceOf(reference.replace(/::.*$/s, ''), undefined);
}

/** `npm:1.0.0::__archiveUrl=https%3A%2F%2F…` where the registry has its tarballs at other URLs. */
function registrySource(reference: string): Source {
  const at = reference.indexOf('__archiveUrl=');
  if (at < 0) return REGISTRY;
  const stated = reference.slice(at + 13).replace(/&.*$/s, '');
  // As yarn decodes it: the rest of a malformed encoding stays.
  const source = sourceOf(querystring.unescape(stated), undefined);
  return source.kind === 'url' ? { kind: 'registry', url: source.url } : source;
}

/** The source of the package that a patch changes: `patch:name@npm%3A1.0.0#~builtin<compat/name>::version=…`. */
function patchedSource(reference: string): Source {
  const inner = /^patch:(?:@?[^@]+)@([^#]+)/.exec(reference)?.[1] ?? '';
  return sourceOfResolution(querystring.unescape(inner));
}

/** Reads the entries of one document. */
export function readEntries(yaml: YamlReader): readonly BerryEntry[] {
  const entries: BerryEntry[] = [];
  yaml.members((key) => {
    if (key === '__metadata') return;
    const entry: BerryEntry = {
      ...{ key, line: yaml.line(), version: '', resolution: '', checksum: undefined },
      ...{ dependencies: NONE, optional: NONE, linkType: undefined },
    };
    yaml.members((field) => readField(field, yaml, entry));
    entries.push(entry);
  });
  return entries;
}

function readField(field: string, yaml: YamlReader, entry: BerryEntry): void {
  switch (field) {
    case 'version':
    case 'resolution':
    case 'checksum':
    case 'linkType':
      entry[field] = yaml.text() ?? '';
      break;
    case 'dependencies':
      entry.dependencies = readDependencies(yaml);
      break;
    case 'dependenciesMeta':
      entry.optional = readOptional(yaml);
  }
}

function readDependencies(yaml: YamlReader): readonly Descriptor[] {
  const found: Descriptor[] = [];
  yaml.members((name) => found.push({ name, range: yaml.text() ?? '' }));
  return found;
}

/** `name:` above `optional: true`. */
function readOptional(yaml: YamlReader): readonly string[] {
  const names: string[] = [];
  yaml.members((name) =>
    yaml.members((meta) => {
      if (meta === 'optional' && yaml.text() === 'true') names.push(name);
    }),
  );
  return names;
}
