import type { LoggedChanges } from '../../model/fleet/logged-changes.ts';
import { LOGGED_CHANGES } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type OnUnreadable, readValue, reportTo } from '../values/stored-values.ts';

/** Entries in one command; one of 1,000 changes takes some tens of kilobytes. */
const COUNT = 100;

/** An entry of the log: the changes of one scan. */
export interface ChangeLogEntry extends LoggedChanges {
  /** The id of the entry in the stream. */
  readonly id: string;
  /** When they were saved, in ms since 1970, by the clock of Redis. */
  readonly at: number;
}

export type ChangeLog = ReturnType<typeof createChangeLog>;

/** The changes of all targets in the last 90 days. They are written together with the states of targets. */
export function createChangeLog(redis: RedisClient, keys: Keys) {
  const read = async (id: string, value: Buffer): Promise<ChangeLogEntry> => {
    const place = { key: keys.changes, field: id, remedy: 'Delete the entry of the stream (XDEL).' };
    const at = Number.parseInt(id, 10);
    return { ...(await readValue(LOGGED_CHANGES, value, place)), id, at };
  };
  /** Reads parts until one is not full. One that cannot be read is reported and left out. `next`: reads the part after an id. */
  async function* entries(
    next: (id: string | undefined) => Promise<readonly StreamEntry[]>,
    onUnreadable: OnUnreadable,
  ): AsyncGenerator<ChangeLogEntry> {
    const yieldIfDue = createYielder();
    let last: string | undefined;
    for (let isFull = true; isFull; ) {
      const part = await next(last);
      for (const [id, fields] of part) {
        const entry = await read(String(id), fieldOf(fields, 'changes')).catch(reportTo(onUnreadable));
        if (entry !== undefined) yield entry;
        await yieldIfDue();
        last = String(id);
      }
      isFull = part.length === COUNT;
    }
  }
  return {
    /** Entries since a time in ms, newest first. `end`: where they begin, in the notation of `XREVRANGE`. Default: the newest. */
    since(time: number, onUnreadable: OnUnreadable = () => {}, end = '+') {
      const from = String(Math.max(0, Math.floor(time)));
      const part = (id: string | undefined) =>
        redis.xrevrangeBuffer(keys.changes, id === undefined ? end : `(${id}`, from, 'COUNT', COUNT);
      return entries(part, onUnreadable);
    },
    /** Entries that follow the one with this id, oldest first. */
    after: (id: string, onUnreadable: OnUnreadable = () => {}) =>
      entries((last = id) => redis.xrangeBuffer(keys.changes, `(${last}`, '+', 'COUNT', COUNT), onUnreadable),
    /** Id of the newest entry; `undefined` for an empty log. */
    async newestId(): Promise<string | undefined> {
      const [newest] = await redis.xrevrange(keys.changes, '+', '-', 'COUNT', 1);
      return newest?.[0];
    },
  };
}

type StreamEntry = [id: Buffer, fields: Buffer[]];

/** The value of a field of a stream entry; empty, which cannot be read, when the field is absent. */
function fieldOf(fields: readonly Buffer[], wanted: string): Buffer {
  const at = fields.findIndex((name, index) => index % 2 === 0 && String(name) === wanted);
  return (at < 0 ? undefined : fields[at + 1]) ?? Buffer.alloc(0);
}
