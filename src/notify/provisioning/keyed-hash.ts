import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Secret } from '../../model/secret.ts';

/** Derives the key for hashes of applied values from the application key. */
export function deriveHashKey(applicationKey: Secret): KeyObject {
  const key = hkdfSync('sha256', applicationKey.reveal(), '', 'lockhound: applied secrets', 32);
  return createSecretKey(Buffer.from(key));
}

/** HMAC-SHA256, hex. It covers account, object and field, so that equal values have different hashes. */
export function keyedHash(key: KeyObject, where: readonly string[], value: unknown): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([...where, value]))
    .digest('hex');
}
