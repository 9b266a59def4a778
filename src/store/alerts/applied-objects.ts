import type { AppliedObjects } from '../../model/ports/applied-objects.ts';
import { APPLIED_OBJECT } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, writeText } from '../values/stored-values.ts';

export function createAppliedObjects(
  redis: RedisClient,
  keys: Keys,
  onUnreadable?: OnUnreadable,
): AppliedObjects {
  return {
    async read(account) {
      const options = { key: keys.applied(account), remedy: 'The object is applied again.', onUnreadable };
      return new Map(await createHashValues(redis, APPLIED_OBJECT, options).all());
    },
    async write(account, id, { name, fields }) {
      await redis.hset(keys.applied(account), id, writeText(APPLIED_OBJECT, { name, fields }));
    },
    async remove(account, id) {
      await redis.hdel(keys.applied(account), id);
    },
  };
}
