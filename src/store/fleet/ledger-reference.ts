import { hash, randomBytes } from 'node:crypto';
import { messageOf } from '../../model/errors.ts';
import type { LedgerReference } from '../../model/fleet/ledger.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { LEDGER_REFERENCE } from '../../model/stored/catalog.ts';
import { StoreError } from '../errors.ts';
import { readValue, type StoredPlace, writeText } from '../values/stored-values.ts';

/** The first characters of a reference; no block begins with them. Scripts know them, too (`steps.lua.ts`). */
const MARK = 'archived:';

/** The name of a new object. It is random: a late request is about no object that is in use. */
export function newObject(): string {
  return randomBytes(16).toString('hex');
}

/** The element of a ledger that stands for a block in the storage. */
export function writeReference(reference: LedgerReference): string {
  return MARK + writeText(LEDGER_REFERENCE, reference);
}

export function isReference(stored: Buffer): boolean {
  return stored.subarray(0, MARK.length).equals(Buffer.from(MARK));
}

/** Throws `state-corrupt` or `state-newer`. */
export async function readReference(stored: Buffer, place: StoredPlace): Promise<LedgerReference> {
  return await readValue(LEDGER_REFERENCE, stored.subarray(MARK.length), place);
}

export function digestOf(block: Buffer): string {
  return hash('sha256', block, 'base64url');
}

/**
 * The block that an element refers to. Throws `state-corrupt` when the storage has no such object or other bytes, and `storage-away`
 * when that is not known.
 */
export async function readReferred(
  stored: Buffer,
  place: StoredPlace,
  storage: ObjectStorage | undefined,
): Promise<Buffer> {
  const { object, sha256 } = await readReference(stored, place);
  if (storage === undefined) throw storageAway('`ledger.storage` is not configured');
  const block = await storage.get(object).catch((cause) => {
    throw storageAway('the storage of ledgers does not answer', cause);
  });
  if (block !== undefined && digestOf(block) === sha256) return block;
  const fault = block === undefined ? 'does not have' : 'has other bytes in';
  throw new StoreError(
    'state-corrupt',
    `Redis key ${place.key} refers to a block that cannot be read: the storage of ledgers ${fault} object ${object}. ` +
      'Restore the object from a backup of the storage.',
  );
}

/** The message names no target and no address, so that everybody may read it. */
export function storageAway(what: string, cause?: unknown): StoreError {
  return new StoreError('storage-away', `${what}: older parts of ledgers are not known`, {
    cause,
    retryable: true,
  });
}

/** Removes the objects that the elements of a ledger refer to. Throws `storage-away`. Elements that cannot be read are left out. */
export async function removeReferred(
  stored: readonly Buffer[],
  place: StoredPlace,
  storage: ObjectStorage | undefined,
): Promise<void> {
  for (const one of stored.filter(isReference)) {
    const reference = await readReference(one, place).catch(() => undefined);
    if (reference === undefined) continue;
    if (storage === undefined) throw storageAway('`ledger.storage` is not configured');
    await storage.remove(reference.object).catch((cause) => {
      throw storageAway(`the storage of ledgers removes nothing (${messageOf(cause)})`, cause);
    });
  }
}
