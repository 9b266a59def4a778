import type { TargetState } from '../model/scan/change.ts';
import { TARGET_STATE } from '../model/stored/catalog.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { readValue } from './values/stored-values.ts';

/** The states of targets. They are written only together with an outcome (`outcomes.ts`). */
export interface TargetStore {
  /** `undefined` for a target without a judged scan. Throws `state-corrupt` or `state-newer`. */
  read(target: string): Promise<TargetState | undefined>;
  /** Number of targets whose last scan could not see everything. */
  countIncomplete(): Promise<number>;
}

export function createTargetStore(redis: RedisClient, keys: Keys): TargetStore {
  return {
    read: async (target) =>
      await readTargetState(keys, target, await redis.hgetBuffer(keys.target(target), 'state')),
    countIncomplete: () => redis.scard(keys.incompleteTargets),
  };
}

/** The state as it is stored. Throws `state-corrupt` or `state-newer`. */
export async function readTargetState(
  keys: Keys,
  target: string,
  stored: Buffer | null,
): Promise<TargetState | undefined> {
  if (stored === null) return undefined;
  const remedy = `Delete the key to start target "${target}" afresh: its open findings are then reported again.`;
  return await readValue(TARGET_STATE, stored, { key: keys.target(target), field: 'state', remedy });
}
