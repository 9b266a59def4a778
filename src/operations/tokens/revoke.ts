import { firstShard, notFound, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

/** Revokes a token, and with it the sessions of people who signed in with it. */
export const revoke: Operation<'lockhound.tokens.revoke'> = async (
  { params: { token }, principal },
  { fleet },
) => {
  requireWholeFleet(principal);
  if (await firstShard(fleet).apiTokens.remove(token)) return {};
  throw notFound(`there is no token ${token}: see \`lockhound tokens\``);
};
