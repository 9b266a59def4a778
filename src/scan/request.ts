import type { ScannedImage } from '../model/image/image.ts';

/** What is scanned: the lockfiles of a target. */
export interface ScanRequest {
  readonly target: { readonly id: string; readonly labels?: Readonly<Record<string, string>> };
  /** May be empty where the scan names an image. */
  readonly lockfiles: readonly ProducedLockfile[];
  /** The container image that the target is, by the chain identifiers of its layers. */
  readonly image?: ScannedImage | undefined;
  /** Id of the scan: the same id of one target is scanned once. Workers add a suffix of the target. Default: a new one. */
  readonly scan?: string | undefined;
  /** When the scan was requested, RFC 3339. Default: now. */
  readonly requestedAt?: string;
  /** These are only some of the lockfiles of the target: findings in the others stay open. Default: all of them. */
  readonly partial?: boolean;
}

/** A lockfile with its content, with a reference to content that is stored already, or unread. */
export type ProducedLockfile = ProducedFile & (ProducedContent | StoredContent);

/** The content of a file, or why it could not be read: the scan then reports it as unread and resolves nothing in it. */
export type ProducedContent =
  | { readonly content: string | Buffer }
  | { readonly unread: { readonly code: string; readonly message: string } };

export interface StoredContent {
  /** SHA-256 of the content, hex. */
  readonly sha256: string;
  /** Size of the content, uncompressed. */
  readonly bytes: number;
}

interface ProducedFile {
  /** Below the target's root, with forward slashes. */
  readonly path: string;
  /** Name of the format; detected when left out. */
  readonly format?: string | undefined;
  /**
   * Companions: files that its format also reads, such as its manifest. Paths are relative to its folder
   * (`../pom.xml`).
   */
  readonly companions?: readonly ProducedCompanion[] | undefined;
}

export type ProducedCompanion = { readonly name: string } & (ProducedContent | StoredContent);
