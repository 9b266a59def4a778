import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Secret } from '../../model/secret.ts';

/** The key of the hashes that are remembered of what was applied: useless without the application key, and not that key. */
export function deriveHashKey(applicationKey: Secret): KeyObject {
  const key = hkdfSync('sha256', applicationKey.reveal(), '', 'lockhound: applied secrets', 32);
  return createSecretKey(Buffer.from(key));
}

/** HMAC-SHA256, hex. Account, object and field are part of it: equal values do not show as equal. */
export function keyedHash(key: KeyObject, where: readonly string[], value: unknown): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([...where, value]))
    .digest('hex');
}
