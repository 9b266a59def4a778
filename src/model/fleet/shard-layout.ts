import { z } from 'zod';
import type { ValueOf } from '../stored/value-of.ts';

/** Over how many shards the targets of a Redis are spread, and a change of that number that is under way. */
export type ShardLayout = ValueOf<typeof shardLayoutSchema>;

/**
 * Steps of a move: `copy` writes everything under staging keys and changes nothing else, `remove` deletes what was copied,
 * `rename` puts the copies in place. Only a move that copies can be cancelled.
 */
export const MOVE_STEPS = ['copy', 'remove', 'rename'] as const;

export const shardLayoutSchema = z.object({
  shards: z.int().positive(),
  move: z.object({ to: z.int().positive(), step: z.enum(MOVE_STEPS) }).exactOptional(),
});
