import type { StoredKind } from '../../model/stored/kind.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanFields } from '../redis/scan.ts';
import { type OnUnreadable, readEach, readValue, reportTo, writeText } from './stored-values.ts';

export interface HashValuesOptions {
  readonly key: string;
  /** The remedy for an operator when a field cannot be read, in a sentence. */
  readonly remedy: string | ((field: string) => string);
  /** Default: unreadable fields are left out without a report. */
  readonly onUnreadable?: OnUnreadable | undefined;
}

type Entry<Value> = readonly [field: string, value: Value];

/** The values of one kind in the fields of a hash. */
export function createHashValues<Value extends object>(
  redis: RedisClient,
  kind: StoredKind<Value>,
  { key, remedy, onUnreadable = () => {} }: HashValuesOptions,
) {
  /** Throws `state-corrupt` or `state-newer`. */
  const parse = (field: string, stored: Buffer | string): Promise<Value> =>
    readValue(kind, stored, { key, field, remedy: typeof remedy === 'string' ? remedy : remedy(field) });
  /** Throws as `parse`; `undefined` for an absent field. */
  const find = async (field: string): Promise<Value | undefined> => {
    const stored = await redis.hgetBuffer(key, field);
    return stored === null ? undefined : await parse(field, stored);
  };
  const readable = (entries: readonly Entry<Buffer>[]): Promise<readonly Entry<Value>[]> =>
    readEach(entries, async ([field, stored]) => [field, await parse(field, stored)] as const, onUnreadable);
  return {
    parse,
    find,
    put: async (field: string, value: Value): Promise<void> =>
      void (await redis.hset(key, field, writeText(kind, value))),
    /** Finds a value; one that cannot be read is reported and counts as absent. */
    read: (field: string): Promise<Value | undefined> => find(field).catch(reportTo(onUnreadable)),
    /** These fields in their order, without absent ones. One that cannot be read is reported and left out. */
    async some(fields: readonly string[]): Promise<readonly Entry<Value>[]> {
      if (fields.length === 0) return [];
      const stored = await redis.hmgetBuffer(key, ...fields);
      return await readable(
        fields.flatMap((field, index): Entry<Buffer>[] => {
          const value = stored[index];
          return value == null ? [] : [[field, value]];
        }),
      );
    },
    /** All fields. One that cannot be read is reported and left out. */
    all: async (): Promise<readonly Entry<Value>[]> =>
      await readable(Object.entries(await redis.hgetallBuffer(key))),
    /** The fields of a large hash one by one, each once. One that cannot be read is reported and left out. */
    async *each(): AsyncGenerator<Entry<Value>> {
      const seen = new Set<string>();
      for await (const [field, stored] of scanFields(redis, key)) {
        if (seen.has(field)) continue;
        seen.add(field);
        const value = await parse(field, stored).catch(reportTo(onUnreadable));
        if (value !== undefined) yield [field, value];
      }
    },
  };
}
