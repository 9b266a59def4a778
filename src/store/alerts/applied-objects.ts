import type { AppliedObjects } from '../../model/ports/applied-objects.ts';
import { APPLIED_OBJECT } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type OnUnreadable, readEach, readValue, writeText } from '../values/stored-values.ts';

export function createAppliedObjects(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: OnUnreadable = () => {},
): AppliedObjects {
  return {
    async read(account) {
      const key = keys.applied(account);
      const remedy = 'The object is applied again.';
      const entries = await readEach(
        Object.entries(await redis.hgetall(key)),
        async ([field, text]) =>
          [field, await readValue(APPLIED_OBJECT, text, { key, field, remedy })] as const,
        onUnreadable,
      );
      return new Map(entries);
    },
    async write(account, id, { name, fields }) {
      await redis.hset(keys.applied(account), id, writeText(APPLIED_OBJECT, { name, fields }));
    },
    async remove(account, id) {
      await redis.hdel(keys.applied(account), id);
    },
  };
}
