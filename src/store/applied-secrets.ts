import type { AppliedSecrets } from '../model/applied-secrets.ts';
import type { RedisClient } from './connection.ts';
import type { Keys } from './keys.ts';

export function createAppliedSecrets(redis: RedisClient, keys: Keys): AppliedSecrets {
  return {
    async read(account, variable) {
      return (await redis.hget(keys.appliedSecrets(account), variable)) ?? undefined;
    },
    async write(account, variable, keyedHash) {
      await redis.hset(keys.appliedSecrets(account), variable, keyedHash);
    },
    async remove(account, variable) {
      await redis.hdel(keys.appliedSecrets(account), variable);
    },
  };
}
