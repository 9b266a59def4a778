import type { UnreadError } from '../model/scan/inventory.ts';
import type { LockfileBuilder } from './packages/lockfile-builder.ts';
import type { BlockMemo } from './syntax/block-memo.ts';

/** The facts that files of a format can contain. */
export interface FormatFacts {
  readonly edges: boolean;
  readonly groups: boolean;
  readonly integrity: boolean;
  readonly lines: boolean;
}

/** Input of a reader. */
export interface LockfileInput {
  /** Path for errors and problems. */
  readonly path: string;
  /** Decoded, without a byte order mark. */
  readonly text: string;
  /** See `Decoded`. */
  readonly bytes?: Uint8Array | undefined;
  /**
   * Returns the content of a companion (see `Format.companions`) by its path relative to the lockfile; `undefined` when it
   * is not available. Readers open no files.
   */
  readonly companion?: ((name: string) => Buffer | undefined) | undefined;
  /**
   * Whether to read only what takes little time: no YAML that needs the general parser, and no more lines, or parts of JSON, than
   * the files of package managers have. A format with `readsInOnePass` throws `UnknownLayout` for any other file.
   */
  readonly onePassOnly?: boolean | undefined;
  /** It keeps the blocks of an earlier version of a TOML file, for callers that read many versions. The result is the same without it. */
  readonly memo?: BlockMemo | undefined;
}

/** A file next to the lockfile that its reader needs, or the reason why an existing one could not be read. */
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
  /** Further names that users can request it by: those of its versions. */
  readonly aliases?: readonly string[];
  readonly title: string;
  /** purl type of its packages; `undefined` for SBOMs, which hold packages of any type. */
  readonly ecosystem: string | undefined;
  /** Patterns of file names, with `*` for any text. A pattern with a `/` includes the name of the folder. */
  readonly fileNames: readonly string[];
  /** Names of unsupported files of the same tool, with what to do instead. They are reported, not ignored. */
  readonly unreadable?: Readonly<Record<string, string>>;
  readonly facts: FormatFacts;
  /** When a file contains a fact, for the documentation. Absent: always, if the fact is true. */
  readonly conditions?: Readonly<Partial<Record<keyof FormatFacts, string>>>;
  /** File names that the tool ignores when another file exists in the same folder. */
  readonly overriddenBy?: Readonly<Record<string, string>>;
  /** Whether it reads the files of its tool in a few passes, each in little time: see `LockfileInput.onePassOnly`. */
  readonly readsInOnePass?: boolean;
  /**
   * Whether the tool writes empty files. `false`: people make them, but a file that became empty looks the same, so that it is a problem.
   * An empty file of any other format is an error.
   */
  readonly mayBeEmpty?: boolean;
  /** Whether the file is a manifest, which may have no dependencies. Any other file without a package is a problem. */
  readonly isManifest?: boolean;
  /**
   * The paths, relative to this file, of the files that the reader needs in addition: a list (manifest), or what the text names (included
   * files). The function is called for companions too, with `isLockfile` false.
   */
  readonly companions?: readonly string[] | ((text: string, isLockfile: boolean) => readonly string[]);
  /** Whether the beginning of a file (about 4 KiB) looks like this format. */
  recognises(head: string): boolean;
  /** Reads a whole file into `builder`. Throws `LockfileError` when the file as a whole cannot be read. */
  read(input: LockfileInput, builder: LockfileBuilder): void;
}

/** A format by its names. Its reader is loaded when a file of the format is read. */
export interface KnownFormat
  extends Pick<Format, 'name' | 'aliases' | 'fileNames' | 'unreadable' | 'overriddenBy' | 'readsInOnePass'> {
  load(): Promise<Format>;
}
