import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

/** The queues of all shards in numbers. */
export const list: Operation<'lockhound.queues.list'> = async ({ principal }, { numbers }) => {
  requireWholeFleet(principal);
  return { queues: (await numbers()).queues };
};
