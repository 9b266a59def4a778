import type {
  Group,
  Integrity,
  Lockfile,
  Problem,
  ProblemKind,
  Source,
} from '../../model/lockfile/lockfile.ts';
import { PackageCollector, type PackageDraft, packageId } from './package-collector.ts';
import { buildPurl, type PurlParts, plainNpmPurl } from './purl.ts';
import { REGISTRY, withoutSecrets } from './sources.ts';

/** Ends the message about a file whose end is missing, although what is left of it is valid. */
export const CUT = 'the file is cut, and packages are missing';

/** A file that consists of bad entries must not fill the memory. */
const MAX_PROBLEMS = 10_000;

/** The statements of a file beside its packages. `format` is set when another format's reader read the file. */
type Stated = Partial<Pick<Lockfile, 'format' | 'madeFrom' | 'statesScripts'>>;

/** The content that a reader found in one file. */
export type LockfileContent = Pick<Lockfile, 'packages' | 'problems'> & Stated;

/** Collects the packages and problems of one file while it is read. */
export class LockfileBuilder {
  readonly #collector = new PackageCollector();
  readonly #problems: Problem[] = [];
  #problemCount = 0;
  #stated: Stated = {};
  #isCut = false;
  #own: 'unstated' | 'needs' | 'needs-nothing' = 'unstated';

  /** Adds the package of an entry. Where `draft` says why the entry cannot be read, reports that as a problem. */
  add(draft: PackageDraft | string, line: number | undefined, entry: string): PackageDraft | undefined {
    if (typeof draft !== 'string') return this.#collector.add(draft);
    this.problem(line, `${JSON.stringify(entry.slice(0, 200))} ${draft}`);
    return undefined;
  }

  /** Adds a problem. Use `unclear` only where no package can be missing because of it. */
  problem(line: number | undefined, message: string, kind: ProblemKind = 'unread'): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ kind, line, message });
  }

  /**
   * Reports a file of a newer version than `newest`: it is read as far as possible, and packages may be missing. `stated`
   * is unchecked; only a number, or a text that begins with one, counts as a version.
   */
  checkVersion(stated: unknown, newest: number): void {
    const major = typeof stated === 'string' ? Number.parseInt(stated, 10) : stated;
    if (typeof major !== 'number' || !(major > newest)) return;
    this.problem(
      undefined,
      `the file has format version ${String(stated).slice(0, 40)}, the newest supported is ${newest}: packages may be missing`,
    );
  }

  /** Notes that an entry needs a package of which the file has no entry, although its tool locks all of them. The first one is a problem. */
  lacksEntry(name: string): void {
    if (!this.#isCut) this.problem(undefined, `it needs ${name.slice(0, 200)} and has no such entry: ${CUT}`);
    this.#isCut = true;
  }

  /** Notes that the file names a folder of the target, and whether that folder needs a package. */
  own(needs: boolean): void {
    if (this.#own !== 'needs') this.#own = needs ? 'needs' : 'needs-nothing';
  }

  /** Whether the file itself says that it locks nothing: it names the target, which needs no package. */
  get saysNothingIsLocked(): boolean {
    return this.#own === 'needs-nothing';
  }

  /** Adds what the file states beside its packages. */
  state(stated: Stated): void {
    this.#stated = { ...this.#stated, ...stated };
  }

  get problemCount(): number {
    return this.#problemCount;
  }

  content(): LockfileContent {
    const hidden = this.#problemCount - this.#problems.length;
    const problems: readonly Problem[] =
      hidden === 0
        ? this.#problems
        : [
            ...this.#problems,
            { kind: 'unread', line: undefined, message: `${hidden} more problems are not listed` },
          ];
    return { packages: this.#collector.packages(), problems, ...this.#stated };
  }
}

export interface DraftParts {
  /** purl type. */
  readonly ecosystem: string;
  /** As the ecosystem writes it. */
  readonly name: string;
  /** Empty when the file has none. */
  readonly version: string;
  readonly source?: Source | undefined;
  readonly line: number | undefined;
  readonly direct?: boolean | undefined;
  readonly groups?: readonly Group[] | undefined;
  readonly integrity?: readonly Integrity[] | undefined;
  readonly installScript?: boolean | undefined;
}

/** Removes credentials from locations in fields that should not contain any. */
function withoutSecretsIn(parts: DraftParts, source: Source): DraftParts {
  const clean = (text: string) => withoutSecrets(text).replaceAll('://', ':');
  return {
    ...parts,
    version: clean(parts.version),
    source: source.kind === 'path' ? { ...source, path: clean(source.path) } : source,
  };
}

const NOTHING: readonly never[] = [];
/** Name and version together. Registries accept a few hundred characters. */
const MAX_LABEL_CHARACTERS = 2_000;

/** Returns the package of one entry of a file, or why the entry is invalid. */
export function draftPackage(parts: DraftParts): PackageDraft | string {
  const { ecosystem, name, version, source = REGISTRY } = parts;
  const label = `${name}@${version}`;
  if (label.length > MAX_LABEL_CHARACTERS) {
    return `has a name and version of ${label.length} characters, more than ${MAX_LABEL_CHARACTERS}`;
  }
  // A fast path for nearly all npm packages.
  if (ecosystem === 'npm' && source.kind === 'registry') {
    const plain = plainNpmPurl(label);
    if (plain !== undefined) return draftOf(parts, source, label, plain);
  }
  if (name === '') return 'has no name';
  if (name.includes('://')) return 'has a location in place of its name';
  if (version.includes('://') || (source.kind === 'path' && source.path.includes('://'))) {
    return draftPackage(withoutSecretsIn(parts, source));
  }
  const purl = purlOf(parts, source);
  if (purl === undefined) {
    return `has a name or version that is not valid in a purl: ${name.slice(0, 200)}@${version.slice(0, 200)}`;
  }
  return draftOf(parts, source, packageId(name, version, source), purl);
}

/** Makes a draft as above for a file that locks versions. A package from a registry must have one. */
export function draftLockedPackage(parts: DraftParts): PackageDraft | string {
  const { name, version, source = REGISTRY } = parts;
  return name !== '' && version === '' && source.kind === 'registry' ? 'has no version' : draftPackage(parts);
}

function draftOf(parts: DraftParts, source: Source, id: string, purl: string): PackageDraft {
  const { ecosystem, name, version, line, direct, groups = NOTHING, integrity = NOTHING } = parts;
  const draft: PackageDraft = {
    id,
    ecosystem,
    name,
    version,
    purl,
    direct,
    groups,
    integrity,
    source,
    line,
    dependencies: undefined,
  };
  if (parts.installScript === true) draft.installScript = true;
  return draft;
}

/** The separator between namespace and name, for ecosystems that have namespaces. */
const NAMESPACE_END: Readonly<Record<string, string>> = {
  npm: '/',
  golang: '/',
  jsr: '/',
  maven: ':',
  composer: '/',
  swift: '/',
  hex: '/',
  terraform: '/',
  generic: '/',
};

function purlOf(parts: DraftParts, source: Source): string | undefined {
  const { ecosystem, name, version } = parts;
  const end = NAMESPACE_END[ecosystem];
  const at = end === undefined ? -1 : name.lastIndexOf(end);
  try {
    return buildPurl({
      type: ecosystem,
      namespace: at < 0 ? undefined : name.slice(0, at),
      name: name.slice(at + 1),
      version,
      qualifiers: qualifiersOf(source),
    });
  } catch {
    // packageurl-js refuses the parts; the caller reports the entry.
    return undefined;
  }
}

function qualifiersOf(source: Source): PurlParts['qualifiers'] {
  if (source.kind === 'git') {
    const commit = source.commit === undefined ? '' : `@${source.commit}`;
    return { vcs_url: `${source.url}${commit}` };
  }
  return source.kind === 'url' ? { download_url: source.url } : undefined;
}

/** Returns the package of Maven coordinates, or why they are invalid. */
export function mavenDraft(
  coordinates: { readonly group: string; readonly artifact: string; readonly version: string },
  rest: Pick<DraftParts, 'direct' | 'groups' | 'integrity' | 'line'>,
): PackageDraft | string {
  const { group, artifact, version } = coordinates;
  if (group === '') return 'has no group';
  if (artifact === '') return 'has no name';
  return draftPackage({ ecosystem: 'maven', name: `${group}:${artifact}`, version, ...rest });
}
