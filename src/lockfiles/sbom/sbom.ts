import type { Group, Integrity, LockedPackage, Problem } from '../../model/scan/lockfile.ts';
import { connect, PackageCollector, type PackageDraft, packageId } from '../packages/package-collector.ts';
import { createPassingEdges } from '../packages/passing-edges.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { statedName } from '../packages/purl-name.ts';
import { type PurlPackage, readPurl } from '../packages/read-purl.ts';
import type { Relations } from './sbom-relations.ts';

/** An element of an SBOM. */
export interface SbomEntry {
  /** By which relations name it (`bom-ref`, `SPDXID`). */
  readonly key: string | undefined;
  /**
   * `package`: has to end as one. `target`: the target itself, or one of its members. `other`: no package (a file, a
   * device, a lockfile); what it depends on stands in its place.
   */
  readonly role: 'package' | 'target' | 'other';
  /** Names as the file states them, the most telling first. */
  readonly names: readonly string[];
  /** Empty when the file states none. */
  readonly version: string;
  readonly purl: string | undefined;
  readonly groups: readonly Group[];
  readonly integrity: readonly Integrity[];
  readonly line: number | undefined;
}

export interface Sbom {
  readonly entries: readonly SbomEntry[];
  /** What depends on what; an entry without any is not in it, unless it is known to depend on nothing. */
  readonly dependsOn: Relations;
  /** What is inside what: an edge, too, but no sign that the target asks for it. */
  readonly contains: Relations;
  /** Whether an entry that is not in `dependsOn` depends on nothing, rather than nobody knows. */
  readonly isComplete: boolean;
  /** Keys of packages that the SBOM is about: asked for by the target, like what the target depends on. */
  readonly subjects: ReadonlySet<string>;
}

/** The packages of an SBOM, of whatever ecosystems. */
export function sbomPackages(sbom: Sbom): {
  readonly packages: readonly LockedPackage[];
  readonly problems: readonly Problem[];
} {
  const collector = new PackageCollector();
  const problems = new ProblemList();
  const drafts = new Map<string, PackageDraft | undefined>();
  const taken = new Map<string, string>();
  for (const entry of sbom.entries) {
    const read = entry.role === 'package' ? readEntry(entry, taken) : undefined;
    if (typeof read === 'string') problems.add(entry.line, `${shownName(entry)} ${read}`);
    const draft = read === undefined || typeof read === 'string' ? undefined : collector.add(read);
    if (entry.key !== undefined && drafts.get(entry.key) === undefined) drafts.set(entry.key, draft);
  }
  addEdges(sbom, drafts, problems);
  return { packages: collector.packages(), problems: problems.all() };
}

function readEntry(entry: SbomEntry, taken: Map<string, string>): PackageDraft | string {
  if (entry.purl === undefined) return 'has no purl: of which ecosystem it is cannot be told';
  const read = readPurl(entry.purl, entry.version);
  if (typeof read === 'string') {
    return `has a purl that cannot be read (${read}): ${JSON.stringify(withoutSecrets(entry.purl))}`;
  }
  const { ecosystem, version, purl, source } = read;
  return {
    id: idOf(read, taken),
    ecosystem,
    name: statedName(ecosystem, read.name, entry.names),
    version,
    purl,
    direct: undefined,
    groups: entry.groups,
    integrity: entry.integrity,
    source,
    line: entry.line,
    dependencies: undefined,
  };
}

/**
 * Two ecosystems may have the same name, and one package several forms: these are told apart by their purls. `taken`: the
 * purls that ids were given to. The plain id follows from the purl alone, so the same purl always gets the same.
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

/** Qualifiers, and what is no purl at all, may hold credentials. */
function withoutSecrets(purl: string): string {
  return purl
    .replace(/[?#].*$/s, '')
    .replace(/^.*@(?=.*@)|\/\/[^/]*@/s, '…')
    .slice(0, 200);
}

function shownName({ names, version }: SbomEntry): string {
  const name = names[0] ?? '';
  return JSON.stringify((version === '' ? name : `${name}@${version}`).slice(0, 200));
}

const NO_KEYS: readonly string[] = [];

function addEdges(
  sbom: Sbom,
  drafts: ReadonlyMap<string, PackageDraft | undefined>,
  problems: ProblemList,
): void {
  const { dependsOn, contains, isComplete } = sbom;
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
  markDirect(drafts, sbom.subjects, new Set([...targets].flatMap((key) => dependencies.from(key))));
  if (dependencies.exhausted || all.exhausted) {
    problems.add(
      undefined,
      'its relations through elements that are no packages are too many to follow: some edges are left out',
      'unclear',
    );
  }
}

/** Where the target depends on nothing, nothing is known of what it asks for. */
function markDirect(
  drafts: ReadonlyMap<string, PackageDraft | undefined>,
  subjects: ReadonlySet<string>,
  asked: ReadonlySet<string>,
): void {
  if (asked.size === 0 && subjects.size === 0) return;
  for (const [key, draft] of drafts) {
    if (draft !== undefined && draft.direct !== true) draft.direct = asked.has(draft.id) || subjects.has(key);
  }
}
