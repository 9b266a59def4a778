import { hash, randomBytes } from 'node:crypto';

/** Hex digits of the hash of a target in ids: 80 bits, so that nobody finds two targets with one hash. */
export const HASH_DIGITS = 20;

/**
 * The id of a scan: the one that its producer chose, a dot, and the first 20 hex digits of the SHA-256 of the target's id. Equal ids of
 * two targets are therefore two scans. An id that already has this form is not changed.
 */
export function scanIdOf(target: string, chosen: string): string {
  const suffix = `.${hash('sha256', target).slice(0, HASH_DIGITS)}`;
  return chosen.length > suffix.length && chosen.endsWith(suffix) ? chosen : chosen + suffix;
}

/** A random id for a scan whose producer chose none. */
export function newScanId(): string {
  return randomBytes(8).toString('hex');
}

/** The id of the verdict on the image of a scan that names lockfiles too. */
export function imageScanOf(scan: string): string {
  return `${scan}.image`;
}
