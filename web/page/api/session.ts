import { signal } from '@preact/signals';
import type { Session } from '../../../src/model/api/lockhound-api.generated.ts';
import { CallError, call, type MethodId } from './call.ts';
import { METHODS } from './methods.generated.ts';

/** Who is signed in; `null`: nobody; `undefined`: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the server could not be asked. */
export const sessionFault = signal<string | undefined>(undefined);

const ROLES = ['read', 'submit', 'admin'] as const;

/** Asks the server who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await call('lockhound.session.get', {});
    sessionFault.value = undefined;
  } catch (error) {
    if (error instanceof CallError && error.status === 401) session.value = null;
    else sessionFault.value = error instanceof Error ? error.message : String(error);
  }
}

/** Throws `CallError` for a token that is not valid. */
export async function signIn(token: string): Promise<void> {
  session.value = await call('lockhound.session.create', {}, { body: { token } });
}

export async function signOut(): Promise<void> {
  await call('lockhound.session.delete', {});
  session.value = null;
}

/** Whether the person may call a method. `isFleetWide`: it is about no single target. */
export function may(id: MethodId, { isFleetWide = false } = {}): boolean {
  const method = METHODS[id];
  const { role = 'read', targets = [] } = session.value ?? {};
  if (isFleetWide && !targets.includes('*')) return false;
  return !('role' in method) || ROLES.indexOf(role) >= ROLES.indexOf(method.role);
}
