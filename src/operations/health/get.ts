import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

/** The verdict on the whole deployment. */
export const get: Operation<'lockhound.health.get'> = async ({ principal }, { health }) => {
  requireWholeFleet(principal);
  return await health();
};
