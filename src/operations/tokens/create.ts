import { duration } from '../../config/values.ts';
import { firstShard, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { createTokenText } from './token-text.ts';

/** Creates a token. Its text is in this answer only: what is stored is a hash. */
export const create: Operation<'lockhound.tokens.create'> = async ({ body, principal }, { fleet }) => {
  requireWholeFleet(principal);
  const { name, role = 'read', targets = ['*'], expires } = body;
  const { id, text, hash } = createTokenText();
  const now = Date.now();
  const end =
    expires === undefined ? {} : { expiresAt: new Date(now + duration.parse(expires)).toISOString() };
  const createdAt = new Date(now).toISOString();
  await firstShard(fleet).apiTokens.put(id, { name, role, targets: [...targets], hash, createdAt, ...end });
  return { id, token: text, ...end };
};
