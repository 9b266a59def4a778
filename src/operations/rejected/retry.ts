import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findPayload, retryPayload } from './payloads.ts';

/** Puts a rejected payload back on its queue, corrected or unchanged. */
export const retry: Operation<'lockhound.rejected.retry'> = async (
  { params, body, principal },
  { fleet },
) => {
  requireWholeFleet(principal);
  return await retryPayload(await findPayload(fleet, params), body.data);
};
