import { messageOf } from '../model/errors.ts';
import { type Saved, upgradeState } from '../model/release-0-1.ts';
import type { TargetState } from '../model/scan/change.ts';
import { unpackJson } from './compression.ts';
import type { RedisClient } from './connection.ts';
import { StoreError } from './errors.ts';
import type { Keys } from './keys.ts';

/** What is remembered of targets. Written only together with an outcome (`outcomes.ts`). */
export interface TargetStore {
  read(target: string): Promise<TargetState | undefined>;
  /** Ids of all targets that were ever judged, sorted. */
  list(): Promise<readonly string[]>;
  /** How many targets there are whose last scan could not see everything. */
  countIncomplete(): Promise<number>;
}

export function createTargetStore(redis: RedisClient, keys: Keys): TargetStore {
  return {
    async read(target) {
      const stored = await redis.hgetBuffer(keys.target(target), 'state');
      if (stored === null) return undefined;
      try {
        return upgradeState((await unpackJson(stored)) as Saved<TargetState>);
      } catch (error) {
        throw new StoreError(
          'state-corrupt',
          `The stored state of target "${target}" cannot be read (${messageOf(error)}). Delete its key to start afresh.`,
          { cause: error },
        );
      }
    },
    async list() {
      return (await redis.smembers(keys.targets)).sort();
    },
    async countIncomplete() {
      return await redis.scard(keys.incompleteTargets);
    },
  };
}
