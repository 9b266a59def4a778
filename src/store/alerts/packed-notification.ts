import type { Notification } from '../../model/alert/notification.ts';
import { NOTIFICATION } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { RedisClient } from '../redis/connection.ts';
import { packJson } from '../values/compression.ts';
import { checkValue, parseValue, writeValue } from '../values/stored-values.ts';

/** A field of a hash and its value. */
export type PackedField = readonly [name: string, value: Buffer | string];

const HEAD = 'notification';

/** Changes in one part: each part is written and read in some milliseconds. */
const PART_CHANGES = 500;

/** Parts in one command. */
const PARTS_AT_ONCE = 20;

/** The fields that hold a notification: one, and one for each part of its changes when there are many. */
export async function packNotification(notification: Notification): Promise<readonly PackedField[]> {
  const { changes } = notification;
  if (changes.length <= PART_CHANGES) return [[HEAD, await writeValue(NOTIFICATION, notification)]];
  const fields: PackedField[] = [];
  const yieldIfDue = createYielder();
  for (let at = 0; at < changes.length; at += PART_CHANGES) {
    fields.push([partName(fields.length), await packJson(changes.slice(at, at + PART_CHANGES))]);
    await yieldIfDue();
  }
  const head = { ...notification, changes: [], parts: fields.length };
  return [...fields, [HEAD, await writeValue(NOTIFICATION, head)]];
}

/**
 * Reads what `packNotification` wrote from the hash at `key`; `undefined` when it is not there or incomplete. Throws
 * `state-corrupt` or `state-newer`.
 */
export async function unpackNotification(redis: RedisClient, key: string): Promise<Notification | undefined> {
  const place = { key, field: HEAD, remedy: 'Delete the key to forget the alert: it is not sent.' };
  const stored = await redis.hgetBuffer(key, HEAD);
  if (stored === null) return undefined;
  const head = await parseValue(NOTIFICATION, stored, place);
  const names = Array.from({ length: partsOf(head) }, (_, index) => partName(index));
  if (names.length === 0) return await checkValue(NOTIFICATION, head, place);
  const changes: unknown[] = [];
  const yieldIfDue = createYielder();
  for (let at = 0; at < names.length; at += PARTS_AT_ONCE) {
    for (const part of await redis.hmgetBuffer(key, ...names.slice(at, at + PARTS_AT_ONCE))) {
      if (part === null) return undefined;
      const members = await parseValue(NOTIFICATION, part, place);
      for (const change of Array.isArray(members) ? members : [members]) changes.push(change);
      await yieldIfDue();
    }
  }
  return await checkValue(NOTIFICATION, { ...Object(head), changes }, place, { large: true });
}

/** Number of parts that a head names; 0 for a notification in one field. */
function partsOf(head: unknown): number {
  if (typeof head !== 'object' || head === null || !('parts' in head)) return 0;
  return typeof head.parts === 'number' ? head.parts : 0;
}

function partName(index: number): string {
  return `${HEAD}.${index}`;
}
