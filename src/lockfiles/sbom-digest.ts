import type { Integrity } from '../model/lockfile.ts';

/** A digest as SBOMs state it: `SHA-256` or `SHA256`, in hexadecimal; nothing when either is no text that can be one. */
export function sbomDigest(algorithm: unknown, value: unknown): readonly Integrity[] {
  if (typeof algorithm !== 'string' || typeof value !== 'string') return NONE;
  const digest = value.trim();
  if (algorithm.trim() === '' || digest === '') return NONE;
  const name = algorithm
    .trim()
    .toLowerCase()
    .replace(/^sha-(?=\d)/, 'sha');
  if (/^[0-9a-f]+$/i.test(digest)) return [{ algorithm: name, value: digest, encoding: 'hex' }];
  return /^[\w+/-]+={0,2}$/.test(digest) ? [{ algorithm: name, value: digest, encoding: 'base64' }] : NONE;
}

const NONE: readonly Integrity[] = [];
