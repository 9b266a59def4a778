import { RawAnswer } from '../../operations/operation.ts';
import type { Principal } from '../../operations/principal.ts';
import { callerAddress } from '../../server/api/auth/caller-address.ts';
import type { Callers } from '../../server/api/auth/callers.ts';
import { requireSameOrigin } from '../../server/api/auth/same-origin.ts';
import {
  createSessionSecret,
  endedSessionCookie,
  SESSION_MS,
  sessionCookie,
  sessionSecretIn,
} from '../../server/api/auth/session-cookie.ts';
import type { HttpOperations } from '../../server/api/http-operation.ts';
import type { ServeContext } from './serve-context.ts';

type Own = 'lockhound.session.get' | 'lockhound.session.create' | 'lockhound.session.delete';

/** Signing in with a token, for people with a browser. */
export function sessionOperations(
  { loaded, shared }: Pick<ServeContext, 'loaded' | 'shared'>,
  callers: Pick<Callers, 'signIn'>,
): Pick<HttpOperations, Own> {
  const { publicUrl } = loaded.config.serve;
  const isSecure = publicUrl?.startsWith('https:') === true;
  const { apiTokens } = shared.store;
  return {
    'lockhound.session.get': async ({ principal }) => sessionOf(principal),
    async 'lockhound.session.create'({ body, request: { headers, socket } }) {
      // A foreign page must not sign a person in with a token of its own.
      if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
        requireSameOrigin('POST', headers, publicUrl);
      }
      const { id, principal } = await callers.signIn(body.token, callerAddress(socket));
      const secret = createSessionSecret();
      await apiTokens.openSession(secret, id, SESSION_MS);
      return new RawAnswer(JSON.stringify(sessionOf(principal)), {
        headers: { 'set-cookie': sessionCookie(secret, isSecure) },
      });
    },
    async 'lockhound.session.delete'({ request }) {
      const secret = sessionSecretIn(request.headers.cookie);
      if (secret !== undefined) await apiTokens.closeSession(secret);
      return new RawAnswer('{}', { headers: { 'set-cookie': endedSessionCookie(isSecure) } });
    },
  };
}

function sessionOf({ name, role, targets, via, expiresAt }: Principal) {
  return { name, role, targets, via, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
