import { firstShard, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

/** The tokens of the API, without their secrets. */
export const list: Operation<'lockhound.tokens.list'> = async ({ principal }, { fleet }) => {
  requireWholeFleet(principal);
  return { tokens: await firstShard(fleet).apiTokens.list() };
};
