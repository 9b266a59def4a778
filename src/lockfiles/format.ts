import type { UnreadError } from '../model/scan/inventory.ts';
import type { Lockfile } from '../model/scan/lockfile.ts';

/** What a format's files can tell. */
export interface FormatFacts {
  readonly edges: boolean;
  readonly groups: boolean;
  readonly integrity: boolean;
  readonly lines: boolean;
}

/** A lockfile as a reader gets it. */
export interface LockfileInput {
  /** Path as reported in errors and problems. */
  readonly path: string;
  /** Decoded, without a byte order mark. */
  readonly text: string;
  /**
   * One of the files that came with this one (see `Format.companions`), by its path relative to it; `undefined` when it
   * did not come. A reader opens no files.
   */
  readonly sibling?: (name: string) => Buffer | undefined;
}

/** A file that came with a lockfile, or why it could not be read although it is there. */
export type Companion = {
  /** Path relative to the lockfile's folder, with forward slashes. */
  readonly name: string;
} & (
  | { readonly content: Buffer; readonly error?: never }
  | { readonly error: UnreadError; readonly content?: never }
);

/** One lockfile format. Each has its own folder. */
export interface Format {
  readonly name: string;
  /** Other names it may be asked for by: those of its versions. */
  readonly aliases?: readonly string[];
  readonly title: string;
  /** purl type of what it holds; `undefined` for an SBOM, which holds packages of any. */
  readonly ecosystem: string | undefined;
  /** File names it is known by, with `*` for any text; with a `/`, the folder counts too. */
  readonly fileNames: readonly string[];
  /** Names of its tool's files that are not read, with what to do instead: these are found and reported, not passed over. */
  readonly unreadable?: Readonly<Record<string, string>>;
  readonly facts: FormatFacts;
  /** Names of files that their tool ignores when another one lies beside them. */
  readonly overriddenBy?: Readonly<Record<string, string>>;
  /** Its tool writes files of nothing at all; elsewhere an empty file is a damaged one. */
  readonly mayBeEmpty?: boolean;
  /** A manifest, which may ask for nothing. Of any other file that is not empty, one without a package is a problem. */
  readonly mayAskForNothing?: boolean;
  /** Files that tell what this one leaves out (its manifest, what it includes), as paths relative to it. Asked of companions too. */
  companions?(text: string, isLockfile: boolean): readonly string[];
  /** Whether content under another name looks like this format; reads the first KiB or so only. */
  recognises(head: string): boolean;
  /** Reads a whole file. Throws `LockfileError` when the file as a whole cannot be read. */
  read(input: LockfileInput): Lockfile;
}
