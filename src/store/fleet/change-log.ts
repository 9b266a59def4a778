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
  /** Of the stream. */
  readonly id: string;
  /** When they were saved, in ms since 1970, by the clock of Redis. */
  readonly at: number;
}

/** The changes of all targets in the last 90 days. They are written together with the states of targets. */
export interface ChangeLog {
  /**
   * Entries since a time in ms, newest first. One that cannot be read is reported and left out. `end`: where they begin, in the
   * notation of `XREVRANGE`. Default: the newest.
   */
  since(time: number, onUnreadable?: OnUnreadable, end?: string): AsyncGenerator<ChangeLogEntry>;
  /** Entries that follow the one with this id, oldest first. */
  after(id: string, onUnreadable?: OnUnreadable): AsyncGenerator<ChangeLogEntry>;
  /** Id of the newest entry; `undefined` for an empty log. */
  newestId(): Promise<string | undefined>;
}

export function createChangeLog(redis: RedisClient, keys: Keys): ChangeLog {
  const read = async (id: string, value: Buffer): Promise<ChangeLogEntry> => {
    const place = { key: keys.changes, field: id, remedy: 'Delete the entry of the stream (XDEL).' };
    const at = Number.parseInt(id, 10);
    return { ...(await readValue(LOGGED_CHANGES, value, place)), id, at };
  };
  return {
    async *since(time, onUnreadable = () => {}, end = '+') {
      const from = String(Math.max(0, Math.floor(time)));
      const yieldIfDue = createYielder();
      let to = end;
      for (;;) {
        const part = await redis.xrevrangeBuffer(keys.changes, to, from, 'COUNT', COUNT);
        for (const [id, fields] of part) {
          const entry = await read(String(id), fieldOf(fields, 'changes')).catch(reportTo(onUnreadable));
          if (entry !== undefined) yield entry;
          await yieldIfDue();
        }
        const last = part.at(-1);
        if (last === undefined || part.length < COUNT) return;
        to = `(${String(last[0])}`;
      }
    },
    async *after(id, onUnreadable = () => {}) {
      const yieldIfDue = createYielder();
      let from = `(${id}`;
      for (;;) {
        const part = await redis.xrangeBuffer(keys.changes, from, '+', 'COUNT', COUNT);
        for (const [own, fields] of part) {
          const entry = await read(String(own), fieldOf(fields, 'changes')).catch(reportTo(onUnreadable));
          if (entry !== undefined) yield entry;
          await yieldIfDue();
        }
        const last = part.at(-1);
        if (last === undefined || part.length < COUNT) return;
        from = `(${String(last[0])}`;
      }
    },
    async newestId() {
      const [newest] = await redis.xrevrange(keys.changes, '+', '-', 'COUNT', 1);
      return newest?.[0];
    },
  };
}

/** The value of a field of a stream entry; empty, which cannot be read, when the field is absent. */
function fieldOf(fields: readonly Buffer[], wanted: string): Buffer {
  const at = fields.findIndex((name, index) => index % 2 === 0 && String(name) === wanted);
  return (at < 0 ? undefined : fields[at + 1]) ?? Buffer.alloc(0);
}
