import type { Group, Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { isRegistryTarball } from '../ecosystems/npm-source.ts';
import type { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { connect, type PackageDraft, packageId } from '../packages/package-collector.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import { statedName } from '../packages/purl.ts';
import { type PurlPackage, readPurl } from '../packages/read-purl.ts';
import { withoutCredentials } from '../packages/sources.ts';

/** An element of an SBOM. */
export interface SbomEntry {
  /** Its key in relations (`bom-ref`, `SPDXID`). */
  readonly key: string | undefined;
  /**
   * `target`: the target itself or one of its members. `other`: not a package (a file, a device, a lockfile); edges to it
   * lead to its dependencies instead.
   */
  readonly role: 'package' | 'target' | 'other';
  /** Names in the file, the most specific first. */
  readonly names: readonly string[];
  /** Empty when the file has none. */
  readonly version: string;
  readonly purl: string | undefined;
  readonly groups: readonly Group[];
  readonly integrity: readonly Integrity[];
  /** The source of its bytes, when the SBOM states it apart from the purl. */
  readonly source?: Source | undefined;
  /** URL of the file that its bytes come from; empty when the SBOM does not state it. */
  readonly distribution?: string;
  /** Whether it says that the package runs a script at installation. */
  readonly installScript?: boolean;
  readonly line: number | undefined;
}

/** Related keys by key. */
export type Relations = ReadonlyMap<string, readonly string[]>;

/** Adds keys to those of `from`. The map can keep and change `to`. */
export function addRelation(relations: Map<string, string[]>, from: string, to: string[]): void {
  const known = relations.get(from);
  if (known === undefined) relations.set(from, to);
  else for (const key of to) known.push(key);
}

export interface Sbom {
  readonly entries: readonly SbomEntry[];
  /** Dependencies. An empty list says that an entry has none; an entry that is missing may have unknown ones. */
  readonly dependsOn: Relations;
  /** Contained elements. They are edges, too, but no direct dependencies of the target. */
  readonly contains?: Relations;
  /** Whether an entry that is missing in `dependsOn` has no dependencies. */
  readonly isComplete?: boolean;
  /** Keys of the packages that the SBOM describes. They count as direct. */
  readonly subjects?: ReadonlySet<string>;
}

/** Adds the packages of an SBOM, of any ecosystem. */
export function addPackages(sbom: Sbom, builder: LockfileBuilder): void {
  const drafts = new Map<string, PackageDraft | undefined>();
  const taken = new Map<string, string>();
  for (const entry of sbom.entries) {
    const draft =
      entry.role === 'package'
        ? builder.add(readEntry(entry, taken), entry.line, shownName(entry))
        : undefined;
    if (draft?.version === '' && draft.source.kind === 'registry') {
      builder.problem(entry.line, `"${draft.name.slice(0, 200)}" has no version`, 'unclear');
    }
    if (entry.key !== undefined && drafts.get(entry.key) === undefined) drafts.set(entry.key, draft);
  }
  addEdges(sbom, drafts, builder);
}

function readEntry(entry: SbomEntry, taken: Map<string, string>): PackageDraft | string {
  if (entry.purl === undefined) return 'has no purl, so its ecosystem is unknown';
  const read = readPurl(entry.purl, entry.version);
  if (typeof read === 'string') {
    return `has an invalid purl (${read}): ${JSON.stringify(withoutSecrets(entry.purl))}`;
  }
  const { ecosystem, version } = read;
  const source = entry.source ?? registryOf(read, entry.distribution) ?? read.source;
  const name = statedName(ecosystem, read.name, entry.names);
  // Tools write the purls of npm packages in lower case, and other packages may have that name.
  const encoded = (text: string) => text.replace('@', '%40');
  const purl = ecosystem === 'npm' ? read.purl.replace(encoded(read.name), () => encoded(name)) : read.purl;
  return {
    id: idOf({ ...read, name, source, purl }, taken),
    ecosystem,
    name,
    version,
    purl,
    direct: undefined,
    groups: entry.groups,
    integrity: entry.integrity,
    source,
    line: entry.line,
    ...(entry.installScript === true ? { installScript: true } : {}),
    dependencies: undefined,
  };
}

/**
 * The registry that a tarball of an npm package comes from. Tools leave it out of the purl, so that a package of a private
 * registry would count as a public one.
 */
function registryOf({ ecosystem, source }: PurlPackage, distribution = ''): Source | undefined {
  if (ecosystem !== 'npm' || source.kind !== 'registry' || source.url !== undefined) return undefined;
  return isRegistryTarball(distribution)
    ? { kind: 'registry', url: withoutCredentials(distribution) }
    : undefined;
}

/**
 * Packages of two ecosystems can have the same name and version, and so can variants of one package: their ids differ by
 * the purl. `taken` has the purl of each id. The same purl always gets the same id.
 */
function idOf({ name, version, source, purl }: PurlPackage, taken: Map<string, string>): string {
  for (let id = packageId(name, version, source); ; id = `${id} (${purl})`) {
    const owner = taken.get(id);
    if (owner === purl) return id;
    if (owner !== undefined) continue;
    taken.set(id, purl);
    return id;
  }
}

/** Qualifiers and invalid purls can contain credentials. */
function withoutSecrets(purl: string): string {
  return purl
    .replace(/[?#].*$/s, '')
    .replace(/^.*@(?=.*@)|\/\/[^/]*@/s, '…')
    .slice(0, 200);
}

function shownName({ names, version }: SbomEntry): string {
  const name = names[0] ?? '';
  return version === '' ? name : `${name}@${version}`;
}

const NO_KEYS: readonly string[] = [];

function addEdges(
  sbom: Sbom,
  drafts: ReadonlyMap<string, PackageDraft | undefined>,
  builder: LockfileBuilder,
): void {
  const { dependsOn, contains = new Map(), isComplete = false, subjects = new Set() } = sbom;
  const targets = new Set(
    sbom.entries.flatMap(({ role, key }) => (role === 'target' && key !== undefined ? key : [])),
  );
  const graph = {
    idOf: (key: string) => drafts.get(key)?.id,
    passes: (key: string) => drafts.has(key) && drafts.get(key) === undefined && !targets.has(key),
  };
  const dependencies = createPassingEdges({ ...graph, edgesOf: (key) => dependsOn.get(key) ?? NO_KEYS });
  const all =
    contains.size === 0
      ? dependencies
      : createPassingEdges({
          ...graph,
          edgesOf: (key) => [...(dependsOn.get(key) ?? NO_KEYS), ...(contains.get(key) ?? NO_KEYS)],
        });
  for (const [key, draft] of drafts) {
    if (draft !== undefined && (isComplete || dependsOn.has(key) || contains.has(key)))
      connect(draft, all.from(key));
  }
  markDirect(drafts, subjects, new Set([...targets].flatMap((key) => dependencies.from(key))));
  if (dependencies.exhausted || all.exhausted) {
    builder.problem(
      undefined,
      'too many relations lead through elements that are not packages to follow all: some edges are left out',
      'unclear',
    );
  }
}

/** A target without dependencies says nothing about direct ones: `direct` stays unknown. */
function markDirect(
  drafts: ReadonlyMap<string, PackageDraft | undefined>,
  subjects: ReadonlySet<string>,
  direct: ReadonlySet<string>,
): void {
  if (direct.size === 0 && subjects.size === 0) return;
  for (const [key, draft] of drafts) {
    if (draft !== undefined && draft.direct !== true)
      draft.direct = direct.has(draft.id) || subjects.has(key);
  }
}

/** Parses a digest: `SHA-256` or `SHA256`, in hexadecimal or base64. `undefined` for a value that is not a digest. */
export function sbomDigest(algorithm: unknown, stated: unknown): Integrity | undefined {
  if (typeof algorithm !== 'string' || typeof stated !== 'string') return undefined;
  const value = stated.trim();
  const name = algorithmName(algorithm);
  if (name === '' || value === '') return undefined;
  if (/^[0-9a-f]+$/i.test(value)) return { algorithm: name, value, encoding: 'hex' };
  return /^[\w+/-]+={0,2}$/.test(value) ? { algorithm: name, value, encoding: 'base64' } : undefined;
}

function algorithmName(stated: string): string {
  if (stated === 'SHA-512' || stated === 'SHA512') return 'sha512';
  if (stated === 'SHA-256' || stated === 'SHA256') return 'sha256';
  return stated
    .trim()
    .toLowerCase()
    .replace(/^sha-(?=\d)/, 'sha');
}

/** A trimmed string, including numbers that tools write in place of strings; empty for any other value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
