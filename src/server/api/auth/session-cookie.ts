import { randomBytes } from 'node:crypto';

/** Name of the cookie, also in the OpenAPI document. */
export const SESSION_COOKIE = 'lockhound-session';

/** How long a person stays signed in. */
export const SESSION_MS = 8 * 3_600_000;

export function createSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** `isSecure`: browsers reach the server by https. */
export function sessionCookie(secret: string, isSecure: boolean): string {
  return cookieText(secret, SESSION_MS / 1_000, isSecure);
}

export function endedSessionCookie(isSecure: boolean): string {
  return cookieText('', 0, isSecure);
}

/** The secret of a session in the header `Cookie`. */
export function sessionSecretIn(cookies: string | undefined): string | undefined {
  for (const cookie of cookies?.split(';') ?? []) {
    const [name, value = ''] = cookie.trim().split('=', 2);
    if (name === SESSION_COOKIE && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

function cookieText(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
