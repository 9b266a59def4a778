import type { TargetState } from '../model/scan/change.ts';
import { TARGET_STATE } from '../model/stored/catalog.ts';
import { chunks, createYielder } from '../model/yielding.ts';
import type { Keys } from './keys.ts';
import type { RedisClient } from './redis/connection.ts';
import { scanParts } from './redis/scan.ts';
import { expand, isLarge } from './values/compression.ts';
import { type OnUnreadable, readValue, reportTo } from './values/stored-values.ts';

/** Ids in one command. */
const COUNT = 1_000;
/** States that are requested together: their size as stored, in bytes. */
const PART_BYTES = 2 * 1024 * 1024;
const PART_STATES = 64;

/** The states of targets. They are written only together with an outcome (`outcomes.ts`). */
export type TargetStore = ReturnType<typeof createTargetStore>;

export function createTargetStore(redis: RedisClient, keys: Keys) {
  return {
    /** `undefined` for a target without a judged scan. Throws `state-corrupt` or `state-newer`. */
    read: async (target: string) =>
      await readTargetState(keys, target, await redis.hgetBuffer(keys.target(target), 'state')),
    /** The ids of all targets with a state, in parts, each once. */
    async *ids(): AsyncGenerator<readonly string[]> {
      const seen = new Set<string>();
      for await (const found of scanParts(redis, 'SSCAN', keys.targets)) {
        const part = found.map(([id]) => id).filter((id) => !seen.has(id));
        for (const id of part) seen.add(id);
        if (part.length > 0) yield part;
      }
    },
    /**
     * Reads the values in the order of `targets`, without those that have none and those whose JSON does not fit. One that cannot be read
     * is reported and left out.
     */
    async *each(
      targets: readonly string[],
      onUnreadable: OnUnreadable = () => {},
      fits?: (json: string) => boolean,
    ): AsyncGenerator<readonly [target: string, state: TargetState]> {
      const yieldIfDue = createYielder();
      for (const several of chunks(targets, COUNT)) {
        for (const part of partsOf(several, await sizesOf(redis, keys, several))) {
          const stored = await Promise.all(
            part.map((target) => redis.hgetBuffer(keys.target(target), 'state')),
          );
          for (const [index, target] of part.entries()) {
            await yieldIfDue();
            const state = await readFitting(keys, target, stored[index] ?? null, fits).catch(
              reportTo(onUnreadable),
            );
            stored[index] = null;
            if (state !== undefined) yield [target, state];
          }
        }
      }
    },
    /** Targets whose state changed at this time or later (ms since 1970, by the clock of Redis), and the newest such time. */
    async touchedSince(
      time: number,
    ): Promise<{ readonly targets: readonly string[]; readonly newest: number }> {
      const found = await redis.zrangebyscore(keys.touchedTargets, time, '+inf', 'WITHSCORES');
      const targets = found.filter((_, index) => index % 2 === 0);
      return { targets, newest: Number(found.at(-1) ?? time) };
    },
    count: () => redis.scard(keys.targets),
    /** The revisions of the states of these targets, in the same order; `undefined` for a target without a state. */
    async revisions(targets: readonly string[]): Promise<readonly (string | undefined)[]> {
      const found = await Promise.all(targets.map((target) => redis.hget(keys.target(target), 'revision')));
      return found.map((revision) => revision ?? undefined);
    },
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

async function sizesOf(
  redis: RedisClient,
  keys: Keys,
  targets: readonly string[],
): Promise<readonly number[]> {
  return await Promise.all(targets.map((target) => redis.hstrlen(keys.target(target), 'state')));
}

/** `undefined` also for one that does not fit. One of several megabytes is not compared. */
async function readFitting(
  keys: Keys,
  target: string,
  stored: Buffer | null,
  fits: ((json: string) => boolean) | undefined,
): Promise<TargetState | undefined> {
  if (fits !== undefined && stored !== null && !isLarge(stored)) {
    const json = await expand(stored, PART_BYTES).catch(() => undefined);
    // A damaged one is reported by the reader.
    if (json !== undefined && !fits(json.toString('utf8'))) return undefined;
  }
  return await readTargetState(keys, target, stored);
}

/** Targets whose states are requested together. */
function* partsOf(targets: readonly string[], sizes: readonly number[]): Generator<readonly string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const [index, target] of targets.entries()) {
    const size = sizes[index] ?? 0;
    if (part.length > 0 && (part.length === PART_STATES || bytes + size > PART_BYTES)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(target);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
