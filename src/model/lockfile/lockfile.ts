import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** A content digest as the file states it. */
export type Integrity = LockedPackage['integrity'][number];

/** The source of the bytes of a package. */
export type Source = LockedPackage['source'];

/**
 * The conditions under which a package is installed, in the field's terms (`dev`, `optional`, `peer`, `bundled`,
 * `test`, `build`, or the name of an extra). Empty: always installed.
 */
export type Group = string;

/** One locked package version of a lockfile. Several entries of the same version are one package. @interface */
export type LockedPackage = ValueOf<typeof lockedPackageSchema>;

export const lockedPackageSchema = z.object({
  /**
   * Unique in its lockfile: `name@version`, followed by the source where it is not a registry, and by the purl where an
   * SBOM holds several of that name.
   */
  id: z.string(),
  /** A purl type (`npm`, `pypi`, `golang`, `cargo`, `gem`, `maven`, `nuget`, …). */
  ecosystem: z.string(),
  /** As the ecosystem writes it, not normalised. An npm alias is its real name. */
  name: z.string(),
  /** As the file states it; empty when it states none. */
  version: z.string(),
  /** Canonical purl, with a version when the package has one. */
  purl: z.string(),
  /** Whether it is a direct dependency of the target; `undefined` when neither the file nor its manifest states it. */
  direct: z.boolean().optional(),
  groups: z.array(z.string()),
  integrity: z.array(
    z.object({
      /** In lower case (`sha512`). */
      algorithm: z.string(),
      /** In the file's own encoding. */
      value: z.string(),
      encoding: z.enum(['base64', 'hex']),
    }),
  ),
  source: z.discriminatedUnion('kind', [
    /** Base URL or artifact URL, when the file states it. */
    /** Several URLs, separated by spaces, when the lockfile does not say which of them it is. */
    z.object({ kind: z.literal('registry'), url: z.string().exactOptional() }),
    z.object({ kind: z.literal('git'), url: z.string(), commit: z.string().exactOptional() }),
    z.object({ kind: z.literal('path'), path: z.string() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
  ]),
  /** True when it runs a script at installation; absent when it does not, or when the format does not state it. */
  installScript: z.boolean().exactOptional(),
  /** 1-based line of the (first) entry; `undefined` when its reader does not record lines. */
  line: z.number().optional(),
  /** Ids of the packages in the same file that it depends on; `undefined` when the format has no edges. */
  dependencies: z.array(z.string()).optional(),
});

/** A part of a file that could not be read. Readers return it and do not throw. @interface */
export type Problem = ValueOf<typeof problemSchema>;

/**
 * The effect of a problem on the list of packages. `unread`: packages that the file holds may be missing from the list,
 * because an entry, a section, a document or an included file was not read. `unclear`: the packages are in the list, and
 * something about them is not known (a version, edges).
 */
export type ProblemKind = Problem['kind'];

export const problemSchema = z.object({
  kind: z.enum(['unread', 'unclear']),
  line: z.number().optional(),
  message: z.string(),
});

/** The content of one lockfile, as its reader returns it. */
export interface Lockfile {
  /** Name of the format that read it, as in the catalog. */
  readonly format: string;
  readonly packages: readonly LockedPackage[];
  readonly problems: readonly Problem[];
  /** The paths of the lockfiles whose packages an SBOM of Lockhound repeats, below the folder that was scanned. */
  readonly madeFrom?: readonly string[];
  /** True when it states which of its packages run a script at installation. */
  readonly statesScripts?: true;
}
