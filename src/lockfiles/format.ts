import type { Lockfile } from '../model/lockfile.ts';

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
   * Reads a file beside this one (a manifest), by file name; `undefined` when there is none. Names only, never paths:
   * nothing a lockfile says can open another file.
   */
  readonly sibling?: (name: string) => Buffer | undefined;
  /**
   * Reads a file of that name in the folder `level` folders above this file's own (1: the one around it), among those that
   * were given with it; `undefined` when it was not, or lies outside what was given.
   */
  readonly ancestor?: (level: number, name: string) => Buffer | undefined;
}

/** One lockfile format. Each has its own folder. */
export interface Format {
  readonly name: string;
  readonly title: string;
  /** purl type of what it holds; `undefined` for an SBOM, which holds packages of any. */
  readonly ecosystem: string | undefined;
  /** File names it is known by, exact or with one leading `*`. */
  readonly fileNames: readonly string[];
  readonly facts: FormatFacts;
  /** Names of files that their tool ignores when another one lies beside them. */
  readonly overriddenBy?: Readonly<Record<string, string>>;
  /** Whether content under another name looks like this format; reads the first KiB or so only. */
  recognises(head: string): boolean;
  /** Reads a whole file. Throws `LockfileError` when the file as a whole cannot be read. */
  read(input: LockfileInput): Lockfile;
}
