import type { Integrity } from '../../model/lockfile/lockfile.ts';

/** Algorithms of CycloneDX by our names, with the bytes of their digests. */
const ALGORITHMS: ReadonlyMap<string, readonly [name: string, bytes: number]> = new Map([
  ['md5', ['MD5', 16]],
  ['sha1', ['SHA-1', 20]],
  ['sha256', ['SHA-256', 32]],
  ['sha384', ['SHA-384', 48]],
  ['sha512', ['SHA-512', 64]],
  ['sha3-256', ['SHA3-256', 32]],
  ['sha3-384', ['SHA3-384', 48]],
  ['sha3-512', ['SHA3-512', 64]],
  ['blake2b-256', ['BLAKE2b-256', 32]],
  ['blake2b-384', ['BLAKE2b-384', 48]],
  ['blake2b-512', ['BLAKE2b-512', 64]],
  ['blake3', ['BLAKE3', 32]],
]);

/** A hash of CycloneDX: `content` in lower-case hexadecimal. */
export interface BomHash {
  readonly alg: string;
  readonly content: string;
}

/** A digest as a hash; `undefined` when CycloneDX has no such algorithm, or the digest does not have its length. */
export function bomHash({ algorithm, value, encoding }: Integrity): BomHash | undefined {
  const [alg, length] = ALGORITHMS.get(algorithm) ?? [];
  const bytes = Buffer.from(value, encoding);
  return alg === undefined || bytes.length !== length ? undefined : { alg, content: bytes.toString('hex') };
}
