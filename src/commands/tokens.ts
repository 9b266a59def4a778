import type { LoadedConfig } from '../config/load.ts';
import { duration } from '../config/values.ts';
import type { ApiToken, Role } from '../model/api/api-token.ts';
import { createTokenText } from '../operations/tokens/token-text.ts';
import type { ApiTokenStore } from '../store/api-tokens.ts';
import { openSharedStore } from './shared-store.ts';

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  /** Default: all. */
  readonly targets?: readonly string[] | undefined;
  /** A duration such as `90d`. Default: it does not expire. */
  readonly expires?: string | undefined;
}

export interface CreatedToken {
  readonly id: string;
  /** Shown once: only its hash is stored. */
  readonly token: string;
  readonly expiresAt?: string;
}

/** Throws `ConfigError` when `redis.url` is not set and `StoreError` when Redis does not answer. */
export async function openTokenAdmin(loaded: LoadedConfig) {
  const { store, close } = await openSharedStore(loaded);
  return { ...administerTokens(store.apiTokens), close };
}

/** Administration of the tokens of the API. */
export function administerTokens(tokens: ApiTokenStore) {
  return {
    async create({ name, role, targets = ['*'], expires }: NewToken): Promise<CreatedToken> {
      const { id, text, hash } = createTokenText();
      const now = Date.now();
      const end =
        expires === undefined ? {} : { expiresAt: new Date(now + duration.parse(expires)).toISOString() };
      const createdAt = new Date(now).toISOString();
      await tokens.put(id, { name, role, targets: [...targets], hash, createdAt, ...end });
      return { id, token: text, ...end };
    },
    list: (): Promise<readonly ApiToken[]> => tokens.list(),
    /** False when there is no such token. */
    revoke: (id: string): Promise<boolean> => tokens.remove(id),
  };
}
