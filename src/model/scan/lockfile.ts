/** A package ecosystem, named by its purl type (`npm`, `pypi`, `golang`, `cargo`, `gem`, `maven`, `nuget`, …). */
type Ecosystem = string;

/** A content digest as the file states it: algorithm in lower case (`sha512`), value in the file's own encoding. */
export interface Integrity {
  readonly algorithm: string;
  readonly value: string;
  readonly encoding: 'base64' | 'hex';
}

/** Where the bytes of a package come from. */
export type Source =
  | {
      readonly kind: 'registry' /** Base URL or artifact URL, when the file states it. */;
      readonly url?: string;
    }
  | { readonly kind: 'git'; readonly url: string; readonly commit?: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

/**
 * The conditions under which a package is installed, in the field's terms (`dev`, `optional`, `peer`, `bundled`,
 * `test`, `build`, or the name of an extra). Empty: always installed.
 */
export type Group = string;

/** One locked package version of a lockfile. Several entries of the same version are one package. */
export interface LockedPackage {
  /**
   * Unique in its lockfile: `name@version`, followed by the source where it is not a registry, and by the purl where an
   * SBOM holds several of that name.
   */
  readonly id: string;
  readonly ecosystem: Ecosystem;
  /** As the ecosystem writes it, not normalised. An npm alias is its real name. */
  readonly name: string;
  /** As the file states it; empty when it states none. */
  readonly version: string;
  /** Canonical purl, with a version when the package has one. */
  readonly purl: string;
  /** Whether it is a direct dependency of the target; `undefined` when neither the file nor its manifest states it. */
  readonly direct?: boolean | undefined;
  readonly groups: readonly Group[];
  readonly integrity: readonly Integrity[];
  readonly source: Source;
  /** 1-based line of the (first) entry; `undefined` when its reader does not record lines. */
  readonly line?: number | undefined;
  /** Ids of the packages in the same file that it depends on; `undefined` when the format has no edges. */
  readonly dependencies?: readonly string[] | undefined;
}

/**
 * What a problem means for the list of packages. `unread`: packages that the file holds may be missing from the list,
 * because an entry, a section, a document or an included file was not read. `unclear`: the packages are in the list, and
 * something about them is not known (a version, edges).
 */
export type ProblemKind = 'unread' | 'unclear';

/** A part of a file that could not be read. Readers return it and do not throw. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly line?: number | undefined;
  readonly message: string;
}

/** The content of one lockfile, as its reader returns it. */
export interface Lockfile {
  /** Name of the format that read it, as in the catalog. */
  readonly format: string;
  readonly packages: readonly LockedPackage[];
  readonly problems: readonly Problem[];
}

/** Whether the list of packages is complete. When it is, the file contains no package that is not in the list. */
export function isReadWhole({ problems }: Pick<Lockfile, 'problems'>): boolean {
  return problems.every(({ kind }) => kind === 'unclear');
}
