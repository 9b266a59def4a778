import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { allPayloads, dropPayload } from './payloads.ts';

/** Deletes all rejected payloads and their jobs. */
export const dropAllRejected: Operation<'lockhound.rejected.dropAll'> = async ({ principal }, { fleet }) => {
  requireWholeFleet(principal);
  const found = await allPayloads(fleet);
  for (const one of found) await dropPayload(one);
  return { dropped: found.length };
};
