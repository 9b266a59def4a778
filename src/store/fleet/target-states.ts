import { chunks } from '../../model/chunks.ts';
import type { TargetState } from '../../model/scan/change.ts';
import { createYielder } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { readTargetState } from '../targets.ts';
import { expand, isLarge } from '../values/compression.ts';
import { type OnUnreadable, reportTo } from '../values/stored-values.ts';

/** Ids in one command. */
const COUNT = 1_000;
/** States that are requested together: their size as stored, in bytes. */
const PART_BYTES = 2 * 1024 * 1024;
const PART_STATES = 64;

/** The states of many targets, with one of them in memory at a time beside those of one request. */
export interface TargetStates {
  /** The ids of all targets with a state, in parts, each once. */
  ids(): AsyncGenerator<readonly string[]>;
  /**
   * In the order of `targets`, without those that have none and those whose JSON does not fit. One that cannot be read is reported and
   * left out.
   */
  each(
    targets: readonly string[],
    onUnreadable?: OnUnreadable,
    fits?: (json: string) => boolean,
  ): AsyncGenerator<readonly [target: string, state: TargetState]>;
}

export function createTargetStates(redis: RedisClient, keys: Keys): TargetStates {
  return {
    async *ids() {
      const seen = new Set<string>();
      let cursor = '0';
      do {
        const [next, found] = await redis.sscan(keys.targets, cursor, 'COUNT', COUNT);
        const part = found.filter((id) => !seen.has(id));
        for (const id of part) seen.add(id);
        if (part.length > 0) yield part;
        cursor = next;
      } while (cursor !== '0');
    },
    async *each(targets, onUnreadable = () => {}, fits) {
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
  };
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
