import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findPayload } from './payloads.ts';

/** A rejected payload with all its data. */
export const get: Operation<'lockhound.rejected.get'> = async ({ params, principal }, { fleet }) => {
  requireWholeFleet(principal);
  return (await findPayload(fleet, params)).entry;
};
