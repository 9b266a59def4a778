import type { Operation } from '../operation.ts';
import type { Principal } from '../principal.ts';

/** Who calls, and what they may do. */
export const get: Operation<'lockhound.session.get'> = async ({ principal }) => sessionOf(principal);

export function sessionOf({ name, role, targets, via, expiresAt }: Principal) {
  return { name, role, targets, via, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
