import type { NewToken } from '../../../src/model/api/lockhound-api.generated.ts';
import { LOCAL_OPERATOR } from '../../../src/operations/principal.ts';
import { create } from '../../../src/operations/tokens/create.ts';
import type { ApiTokenStore } from '../../../src/store/api-tokens.ts';

/** Creates tokens as the operator of the machine does. */
export function newTokens(apiTokens: ApiTokenStore) {
  const context = { fleet: { shards: [{ apiTokens }] } } as never;
  return {
    create(body: NewToken) {
      const { signal } = new AbortController();
      return create({ params: {}, body, principal: LOCAL_OPERATOR, signal }, context);
    },
    revoke: apiTokens.remove,
    list: apiTokens.list,
  };
}
