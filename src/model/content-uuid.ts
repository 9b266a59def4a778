import { createHash } from 'node:crypto';

/** A UUID that depends on the parts alone (RFC 9562, version 8): the same parts in the same order have the same one. */
export function contentUuid(parts: Iterable<unknown>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(JSON.stringify(part) ?? 'null');
  const hex = hash.digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
