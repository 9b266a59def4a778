import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import { TARGET_SUMMARY } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanParts } from '../redis/scan.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, reportTo } from '../values/stored-values.ts';

/** All targets in short. They are written together with the states of targets (`outcomes.ts`). */
export type TargetSummaries = ReturnType<typeof createTargetSummaries>;

export type ListedTarget = readonly [target: string, summary: TargetSummary];

export function summaryValues(redis: RedisClient, keys: Keys) {
  const remedy = (target: string) => `Scan target "${target}" again.`;
  return createHashValues(redis, TARGET_SUMMARY, { key: keys.targetSummaries, remedy });
}

/** The end of a summary that this release wrote, and what precedes the key of an inventory in it. */
const END = `"version":${TARGET_SUMMARY.version}}`;
const INVENTORY = '"inventory":"';

/**
 * Whether a stored summary names one of the inventories, or has to be read to know that: it is compressed, damaged, or of another release.
 * To read all summaries takes longer than the rest of a pass over the fleet.
 */
export function mayHold(stored: Buffer, inventories: ReadonlySet<string>): boolean {
  const text = stored.toString('latin1');
  if (!text.startsWith('{') || !text.endsWith(END)) return true;
  for (let at = text.indexOf(INVENTORY); at >= 0; at = text.indexOf(INVENTORY, at)) {
    at += INVENTORY.length;
    if (inventories.has(text.slice(at, text.indexOf('"', at)))) return true;
  }
  return false;
}

export function createTargetSummaries(redis: RedisClient, keys: Keys) {
  const { find, parse } = summaryValues(redis, keys);
  return {
    /** `undefined` for a target without a judged scan. Throws `state-corrupt` or `state-newer`. */
    read: find,
    /** All targets in parts, each once. One that cannot be read is reported and left out. */
    async *all(onUnreadable: OnUnreadable = () => {}): AsyncGenerator<readonly ListedTarget[]> {
      const seen = new Set<string>();
      const yieldIfDue = createYielder();
      for await (const fields of scanParts(redis, 'HSCAN', keys.targetSummaries)) {
        const part: ListedTarget[] = [];
        for (const [target, stored] of fields) {
          if (seen.has(target)) continue;
          seen.add(target);
          const summary = await parse(target, stored).catch(reportTo(onUnreadable));
          if (summary !== undefined) part.push([target, summary]);
          await yieldIfDue();
        }
        if (part.length > 0) yield part;
      }
    },
  };
}
