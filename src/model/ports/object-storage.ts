/** A place for objects outside of Redis: a folder or a bucket. A name is written once and is never used again. */
export interface ObjectStorage {
  /** Resolves when the storage has confirmed the object. Throws a `CodedError`. */
  put(name: string, content: Buffer): Promise<void>;
  /** `undefined`: the storage has no such object. Throws a `CodedError` when that is not known. */
  get(name: string): Promise<Buffer | undefined>;
  /** An object that does not exist is removed already. Throws a `CodedError`. */
  remove(name: string): Promise<void>;
}
