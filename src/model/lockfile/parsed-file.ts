import type { UnreadError } from '../scan/inventory.ts';
import type { Lockfile } from './lockfile.ts';

/** One file of `lockhound parse`: its content, or why it could not be read. */
export type ParsedFile = {
  readonly path: string;
  /** Its path in a scan of the same files and folders. */
  readonly scanPath: string;
} & (
  | { readonly lockfile: Lockfile; readonly error?: never }
  | { readonly lockfile?: never; readonly error: UnreadError }
);

/** A lockfile format, for people and programs that choose one. */
export interface FormatDescription {
  readonly name: string;
  readonly title: string;
  /** purl type, or `any`. */
  readonly ecosystem: string;
  readonly fileNames: readonly string[];
  /** The facts that files of this format can contain. */
  readonly edges: boolean;
  readonly groups: boolean;
  readonly integrity: boolean;
  readonly lines: boolean;
}
