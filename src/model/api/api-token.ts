import { z } from 'zod';
import type { ValueOf } from '../stored/kind.ts';

/** The rights of a caller of the API. A role contains the ones before it. */
export const ROLES = ['read', 'submit', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A token of the API as it is stored: with a hash in place of its secret. Its id is the field of the hash that holds it. */
export type StoredToken = ValueOf<typeof apiTokenSchema>;

export const apiTokenSchema = z.object({
  /** For people. */
  name: z.string(),
  role: z.enum(ROLES),
  /** Ids of targets that it may see; `*` matches any text. */
  targets: z.array(z.string()),
  /** SHA-256 of its secret, hex. The secret has 256 random bits, so a slow hash would add nothing. */
  hash: z.string(),
  /** RFC 3339. */
  createdAt: z.string(),
  expiresAt: z.string().exactOptional(),
});

/** A token as operators see it. */
export interface ApiToken extends Omit<StoredToken, 'hash'> {
  readonly id: string;
  /** RFC 3339: last use, to the minute. Absent for one that was never used. */
  readonly usedAt?: string;
}
