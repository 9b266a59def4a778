import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import { TARGET_SUMMARY } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { type OnUnreadable, readValue, reportTo } from '../values/stored-values.ts';

/** All targets in short. They are written together with the states of targets (`outcomes.ts`). */
export interface TargetSummaries {
  /** `undefined` for a target without a judged scan. Throws `state-corrupt` or `state-newer`. */
  read(target: string): Promise<TargetSummary | undefined>;
  /** All targets in parts, each once. One that cannot be read is reported and left out. */
  all(onUnreadable?: OnUnreadable): AsyncGenerator<readonly ListedTarget[]>;
}

export type ListedTarget = readonly [target: string, summary: TargetSummary];

/** Targets in one command. */
const COUNT = 500;

export function createTargetSummaries(redis: RedisClient, keys: Keys): TargetSummaries {
  const key = keys.targetSummaries;
  const parse = (target: string, stored: Buffer): Promise<TargetSummary> =>
    readValue(TARGET_SUMMARY, stored, {
      key,
      field: target,
      remedy: `Scan target "${target}" again.`,
    });
  async function* list(onUnreadable: OnUnreadable = () => {}): AsyncGenerator<readonly ListedTarget[]> {
    // A scan of a hash that changes may return a field twice.
    const seen = new Set<string>();
    const yieldIfDue = createYielder();
    let cursor = '0';
    do {
      const [next, fields] = await redis.hscanBuffer(key, cursor, 'COUNT', COUNT);
      const part: ListedTarget[] = [];
      for (let at = 0; at + 1 < fields.length; at += 2) {
        const stored = fields[at + 1] as Buffer;
        const target = String(fields[at]);
        if (seen.has(target)) continue;
        seen.add(target);
        const summary = await parse(target, stored).catch(reportTo(onUnreadable));
        if (summary !== undefined) part.push([target, summary]);
        await yieldIfDue();
      }
      if (part.length > 0) yield part;
      cursor = String(next);
    } while (cursor !== '0');
  }
  return {
    async read(target) {
      const stored = await redis.hgetBuffer(key, target);
      return stored === null ? undefined : await parse(target, stored);
    },
    all: list,
  };
}
