import { notFound, requireWholeFleet } from '../../operations/context.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import { administerTokens } from '../tokens.ts';
import type { ServeContext } from './serve-context.ts';

type Own = 'lockhound.tokens.list' | 'lockhound.tokens.create' | 'lockhound.tokens.revoke';

export function tokenOperations({ shared }: Pick<ServeContext, 'shared'>): Pick<HttpOperations, Own> {
  const admin = administerTokens(shared.store.apiTokens);
  return {
    async 'lockhound.tokens.list'({ principal }) {
      requireWholeFleet(principal);
      return { tokens: await admin.list() };
    },
    async 'lockhound.tokens.create'({ body, principal }) {
      requireWholeFleet(principal);
      return await admin.create(body);
    },
    async 'lockhound.tokens.revoke'({ params: { token }, principal }) {
      requireWholeFleet(principal);
      if (!(await admin.revoke(token))) throw notFound(`there is no token ${token}`);
      return {};
    },
  };
}
