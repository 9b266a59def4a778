import type { AppliedObjects } from '../../model/ports/applied-objects.ts';
import { APPLIED_OBJECT } from '../../model/stored/catalog.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { createHashValues } from '../values/hash-values.ts';
import type { OnUnreadable } from '../values/stored-values.ts';

export function createAppliedObjects(
  redis: RedisClient,
  keys: Keys,
  onUnreadable?: OnUnreadable,
): AppliedObjects {
  const remedy = 'The object is applied again.';
  const objects = (account: string) =>
    createHashValues(redis, APPLIED_OBJECT, { key: keys.applied(account), remedy, onUnreadable });
  return {
    read: async (account) => new Map(await objects(account).all()),
    write: (account, id, { name, fields }) => objects(account).put(id, { name, fields }),
    async remove(account, id) {
      await redis.hdel(keys.applied(account), id);
    },
  };
}
