import { ROLES, type Role } from '../model/api/api-token.ts';
import { releasedTarget } from '../model/fleet/release.ts';
import { matchesWildcard } from '../model/wildcard.ts';

/** Who calls, and what they may do. */
export interface Principal {
  /** For people: name of a token or of a person. */
  readonly name: string;
  /** Differs from that of any other caller, also when a person has the name of a token. */
  readonly identity: string;
  readonly role: Role;
  /** Ids of targets that it may see; `*` matches any text. */
  readonly targets: readonly string[];
  /** How it was authenticated. */
  readonly via: 'machine' | 'token' | 'session' | 'proxy';
  /** RFC 3339; absent when it does not expire. */
  readonly expiresAt?: string;
  /** Identifies what `sees` accepts: principals with the same scope see the same targets. */
  readonly scope: string;
  /** Whether it sees every target, and may administer what is about no single one. */
  readonly seesAll: boolean;
  /** Whether it may see and change this target. Releases are seen by those who see their target. */
  sees(target: string): boolean;
}

type PrincipalParts = Pick<Principal, 'name' | 'role' | 'targets' | 'via'> & {
  readonly expiresAt?: string | undefined;
};

export function principalOf({ name, role, targets, via, expiresAt }: PrincipalParts): Principal {
  const seesAll = targets.includes('*');
  return {
    name,
    identity: `${via === 'proxy' ? 'person' : 'token'}:${name}`,
    role,
    targets,
    via,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    scope: seesAll ? '*' : JSON.stringify([...targets].sort()),
    seesAll,
    sees: seesAll
      ? () => true
      : (target) => targets.some((pattern) => matchesWildcard(pattern, releasedTarget(target))),
  };
}

/** The operator of this machine, while there are no tokens. */
export const LOCAL_OPERATOR = principalOf({ name: 'local', role: 'admin', targets: ['*'], via: 'machine' });

export function mayAct({ role }: Principal, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
