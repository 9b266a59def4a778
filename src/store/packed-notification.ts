import type { Notification, NotifiedChange } from '../model/alert/notification.ts';
import { upgradeNotification } from '../model/release-0-1.ts';
import { createTurns } from '../model/turns.ts';
import { packJson, unpackJson } from './compression.ts';

/** A field of a delivery's record and its value. */
export type PackedField = readonly [name: string, value: Buffer];

const HEAD = 'notification';

/** Changes of one part: each is written and read at once, and others get their turn in between. */
const PART_CHANGES = 500;

/** Parts that are asked for at once. */
const PARTS_AT_ONCE = 20;

/** A notification with many changes, without them. */
interface Head extends Omit<Notification, 'changes'> {
  readonly parts: number;
}

/** The fields that hold a notification: one, or when it has many changes one for each part of them besides. */
export async function packNotification(notification: Notification): Promise<readonly PackedField[]> {
  const { changes, ...rest } = notification;
  if (changes.length <= PART_CHANGES) return [[HEAD, await packJson(notification)]];
  const fields: PackedField[] = [];
  const turn = createTurns();
  for (let at = 0; at < changes.length; at += PART_CHANGES) {
    fields.push([partName(fields.length), await packJson(changes.slice(at, at + PART_CHANGES))]);
    await turn();
  }
  const head: Head = { ...rest, parts: fields.length };
  return [...fields, [HEAD, await packJson(head)]];
}

/** Reads what `packNotification` wrote, field by field; `undefined` when it is not there (any more). */
export async function unpackNotification(
  read: (names: readonly string[]) => Promise<readonly (Buffer | null)[]>,
): Promise<Notification | undefined> {
  const [stored] = await read([HEAD]);
  if (stored == null) return undefined;
  const head = (await unpackJson(stored)) as Notification | Head;
  if (!('parts' in head)) return upgradeNotification(head);
  const { parts, ...rest } = head;
  const names = Array.from({ length: parts }, (_, index) => partName(index));
  const changes: NotifiedChange[] = [];
  const turn = createTurns();
  for (let at = 0; at < parts; at += PARTS_AT_ONCE) {
    for (const part of await read(names.slice(at, at + PARTS_AT_ONCE))) {
      if (part === null) return undefined;
      for (const change of (await unpackJson(part)) as readonly NotifiedChange[]) changes.push(change);
      await turn();
    }
  }
  return { ...rest, changes };
}

function partName(index: number): string {
  return `${HEAD}.${index}`;
}
