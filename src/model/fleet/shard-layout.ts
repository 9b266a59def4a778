import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** Over how many shards the targets of a Redis are spread, and a change of that number that is not finished. */
export type ShardLayout = ValueOf<typeof shardLayoutSchema>;

export const shardLayoutSchema = z.object({
  /** The number whose keys are complete. */
  shards: z.int().positive(),
  /** `shards` is `from` while the targets are copied, and `to` while the originals are deleted. */
  move: z.object({ from: z.int().positive(), to: z.int().positive() }).exactOptional(),
});
