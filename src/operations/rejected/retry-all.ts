import type { RetriedPayload } from '../../model/queue/rejected-payload.ts';
import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { allPayloads, retryPayload } from './payloads.ts';

/** Puts all rejected payloads back on their queues. Those that would be rejected again stay. */
export const retryAll: Operation<'lockhound.rejected.retryAll'> = async ({ principal }, { fleet }) => {
  requireWholeFleet(principal);
  const rejected: RetriedPayload[] = [];
  for (const one of await allPayloads(fleet)) rejected.push(await retryPayload(one));
  return { rejected };
};
