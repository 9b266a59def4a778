import type { Integrity } from '../../model/lockfile/lockfile.ts';

/** Parses a digest: `SHA-256` or `SHA256`, in hexadecimal or base64. `undefined` for a value that is not a digest. */
export function sbomDigest(algorithm: unknown, stated: unknown): Integrity | undefined {
  if (typeof algorithm !== 'string' || typeof stated !== 'string') return undefined;
  const value = stated.trim();
  const name = algorithmName(algorithm);
  if (name === '' || value === '') return undefined;
  if (/^[0-9a-f]+$/i.test(value)) return { algorithm: name, value, encoding: 'hex' };
  return /^[\w+/-]+={0,2}$/.test(value) ? { algorithm: name, value, encoding: 'base64' } : undefined;
}

function algorithmName(stated: string): string {
  if (stated === 'SHA-512' || stated === 'SHA512') return 'sha512';
  if (stated === 'SHA-256' || stated === 'SHA256') return 'sha256';
  return stated
    .trim()
    .toLowerCase()
    .replace(/^sha-(?=\d)/, 'sha');
}

/** A trimmed string, including numbers that tools write in place of strings; empty for any other value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
