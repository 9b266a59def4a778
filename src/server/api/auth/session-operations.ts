import { randomBytes } from 'node:crypto';
import { RawAnswer } from '../../../operations/operation.ts';
import { sessionOf } from '../../../operations/session/get.ts';
import type { ApiTokenStore } from '../../../store/api-tokens.ts';
import type { HttpOperations } from '../http-operation.ts';
import type { Callers } from './callers.ts';
import { callerAddress } from './request-rates.ts';
import { cookieText, requireSameOrigin, sessionSecretIn } from './session-cookie.ts';

/** How long a person stays signed in. */
const SESSION_MS = 8 * 3_600_000;

interface SessionParts {
  readonly apiTokens: ApiTokenStore;
  readonly callers: Pick<Callers, 'signIn'>;
  readonly publicUrl: string | undefined;
}

/** Signing in with a token and signing out, for people with a browser: cookies exist over HTTP only. */
export function sessionOperations({
  apiTokens,
  callers,
  publicUrl,
}: SessionParts): Pick<HttpOperations, 'lockhound.session.create' | 'lockhound.session.delete'> {
  const isSecure = publicUrl?.startsWith('https:') === true;
  return {
    async 'lockhound.session.create'({ body, request: { headers, socket } }) {
      // A foreign page must not sign a person in with a token of its own.
      if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
        requireSameOrigin('POST', headers, publicUrl);
      }
      const { id, principal } = await callers.signIn(body.token, callerAddress(socket));
      const secret = randomBytes(32).toString('base64url');
      await apiTokens.openSession(secret, id, SESSION_MS);
      return new RawAnswer(JSON.stringify(sessionOf(principal)), {
        headers: { 'set-cookie': cookieText(secret, SESSION_MS / 1_000, isSecure) },
      });
    },
    async 'lockhound.session.delete'({ request }) {
      const secret = sessionSecretIn(request.headers.cookie);
      if (secret !== undefined) await apiTokens.closeSession(secret);
      return new RawAnswer('{}', { headers: { 'set-cookie': cookieText('', 0, isSecure) } });
    },
  };
}
