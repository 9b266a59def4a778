/** What is watched: a repository, a service or an image. */
export interface Target {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A lockfile as jobs hand it on: its content lies in the blob store under its hash. */
export interface LockfileReference {
  /** Path relative to the target's root, with forward slashes. */
  readonly path: string;
  /** SHA-256 of the uncompressed content, hex. */
  readonly sha256: string;
  /** Uncompressed size in bytes. */
  readonly bytes: number;
  /** Name of the format when the producer forces one; otherwise detected. */
  readonly format?: string;
}
