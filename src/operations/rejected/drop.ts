import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { dropPayload, findPayload } from './payloads.ts';

/** Deletes a rejected payload and its job. */
export const drop: Operation<'lockhound.rejected.drop'> = async ({ params, principal }, { fleet }) => {
  requireWholeFleet(principal);
  await dropPayload(await findPayload(fleet, params));
  return {};
};
