import type { Integrity } from '../../model/scan/lockfile.ts';

/** `sha256:<hex>` or `sha256=<hex>`, as Python's tools write digests. */
export function parseDigest(stated: string): readonly Integrity[] {
  const match = /^([a-z0-9_]+)[:=]([0-9a-f]+)$/i.exec(stated.trim());
  if (match === null) return [];
  return [{ algorithm: (match[1] ?? '').toLowerCase(), value: match[2] ?? '', encoding: 'hex' }];
}

/** Digests without repeats, in their order. */
export function parseDigests(stated: readonly string[]): readonly Integrity[] {
  return [...new Set(stated)].flatMap(parseDigest);
}
