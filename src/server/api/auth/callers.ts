import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { LoadedConfig } from '../../../config/load.ts';
import { rangesOf } from '../../../http/address-guard.ts';
import type { Role, StoredToken } from '../../../model/api/api-token.ts';
import { isLoopback } from '../../../model/loopback.ts';
import { LOCAL_OPERATOR, type Principal, principalOf } from '../../../operations/principal.ts';
import { Refusal } from '../../../operations/refusal.ts';
import { fitsHash, parseTokenText } from '../../../operations/tokens/token-text.ts';
import type { ApiTokenStore } from '../../../store/api-tokens.ts';
import { callerAddress, createRequestRates } from './request-rates.ts';
import { requireSameOrigin, sessionSecretIn } from './session-cookie.ts';

/** People who an authenticating proxy names in a header. */
interface TrustedProxy {
  /** In lower case. */
  readonly header: string;
  readonly role: Role;
  readonly targets: readonly string[];
  /** Whether a connection from this address is one of the proxy. */
  isProxy(address: string): boolean;
}

interface CallersOptions {
  readonly store: Pick<ApiTokenStore, 'all' | 'find' | 'count' | 'noteUse' | 'findSession'>;
  readonly proxy: TrustedProxy | undefined;
  /** Whether only programs of this machine reach the server. */
  readonly isLoopback: boolean;
  /** The origin of the server behind a proxy. */
  readonly publicUrl: string | undefined;
  /** Counts an attempt without valid credentials by the address of the caller. Throws `Refusal`. */
  readonly countFailure: (address: string) => void;
  readonly now?: () => number;
}

export interface Callers {
  /** Who sent a request. Throws `Refusal` (401, 403, 429). */
  authenticate(request: Pick<FastifyRequest, 'headers' | 'method' | 'socket'>): Promise<Principal>;
  /** The id of a token that a person signs in with. Throws `Refusal`. */
  signIn(text: string, address: string): Promise<{ readonly id: string; readonly principal: Principal }>;
}

/** Tokens that were read last are used for this long: a revoked one is refused soon after. */
const FRESH_MS = 1_000;
/** A use is noted at most this often. */
const USE_EVERY_MS = 60_000;

/** The message of a server that other machines reach, until there is a token. */
const FIRST_TOKEN =
  'there is no token yet, so nobody is answered: create the first one with `lockhound tokens create --name <name> --role admin`';

function createCallers(options: CallersOptions): Callers {
  const { store, proxy, isLoopback, publicUrl, countFailure, now = Date.now } = options;
  const tokens = recentTokens(store, now);
  const uses = new Map<string, number>();
  const refuse = (address: string, detail: string): Refusal => {
    countFailure(callerAddress({ remoteAddress: address }));
    const headers = { 'www-authenticate': 'Bearer realm="lockhound"' };
    return new Refusal(401, 'not-signed-in', detail, { headers });
  };
  const principalOfToken = async (
    id: string,
    token: StoredToken,
    via: 'token' | 'session',
  ): Promise<Principal> => {
    if (now() - (uses.get(id) ?? 0) > USE_EVERY_MS) {
      uses.set(id, now());
      await store.noteUse(id, now());
    }
    return principalOf({ ...token, name: `${token.name} (${id})`, via });
  };
  // One that was created a moment ago is not among those that were read.
  const tokenOf = async (id: string) => (await tokens()).known.get(id) ?? (await store.find(id));
  const validToken = async (text: string, address: string) => {
    const parsed = parseTokenText(text);
    const token = parsed === undefined ? undefined : await tokenOf(parsed.id);
    const fits = fitsHash(parsed?.secret ?? '', token?.hash);
    if (parsed === undefined || token === undefined || !fits) throw refuse(address, 'the token is not valid');
    if (isOver(token, now())) throw refuse(address, 'the token has expired');
    return { id: parsed.id, token };
  };
  const sessionToken = async (cookies: string | undefined) => {
    const secret = sessionSecretIn(cookies);
    const id = secret === undefined ? undefined : await store.findSession(secret);
    const token = id === undefined ? undefined : await tokenOf(id);
    return id === undefined || token === undefined || isOver(token, now()) ? undefined : { id, token };
  };
  const howToSignIn = (count: number): string =>
    count === 0 && proxy === undefined ? FIRST_TOKEN : 'sign in, or send a token';
  return {
    async authenticate({ headers, method, socket }) {
      const address = socket.remoteAddress ?? '';
      const { authorization } = headers;
      if (authorization !== undefined) {
        const { id, token } = await validToken(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '', address);
        return await principalOfToken(id, token, 'token');
      }
      const person = proxy === undefined || !proxy.isProxy(address) ? undefined : headers[proxy.header];
      if (proxy !== undefined && typeof person === 'string' && person !== '') {
        requireSameOrigin(method, headers, publicUrl);
        const { role, targets } = proxy;
        return principalOf({ name: person.slice(0, 200), role, targets, via: 'proxy' });
      }
      const session = await sessionToken(headers.cookie);
      if (session !== undefined) {
        requireSameOrigin(method, headers, publicUrl);
        return await principalOfToken(session.id, session.token, 'session');
      }
      const { count } = await tokens();
      if (count > 0 || !isLoopback || proxy !== undefined) throw refuse(address, howToSignIn(count));
      requireLocalHost(headers.host);
      if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
        requireSameOrigin(method, headers, publicUrl);
      }
      return LOCAL_OPERATOR;
    },
    async signIn(text, address) {
      const { id, token } = await validToken(text, address);
      return { id, principal: await principalOfToken(id, token, 'session') };
    },
  };
}

/** The stored tokens, read again when they were read longer ago than `FRESH_MS`. */
function recentTokens({ all, count }: Pick<ApiTokenStore, 'all' | 'count'>, now: () => number) {
  let reading:
    | Promise<{ readonly known: ReadonlyMap<string, StoredToken>; readonly count: number }>
    | undefined;
  let readAt = 0;
  return () => {
    if (reading === undefined || now() - readAt > FRESH_MS) {
      readAt = now();
      reading = Promise.all([all(), count()]).then(([known, total]) => ({ known, count: total }));
      reading.catch(() => {
        reading = undefined;
      });
    }
    return reading;
  };
}

function isOver({ expiresAt }: StoredToken, time: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= time;
}

/**
 * Requires a local host name. Without tokens a page of a browser must not reach the server by a name of its own that
 * leads here.
 */
function requireLocalHost(host: string | undefined): void {
  if (isLoopback(URL.parse(`http://${host ?? ''}`)?.hostname ?? '')) return;
  throw new Refusal(403, 'host-unknown', 'without tokens only requests to localhost are answered');
}

const LOCAL_ONLY = 'there is no token: only programs of this machine are answered';

/** Attempts without valid credentials of one address in a second. */
const FAILURES_PER_SECOND = 5;

/** `note`: who is answered while there is no token: programs of this machine, or nobody where other machines reach the address. */
export async function openCallers(
  { config: { serve } }: LoadedConfig,
  apiTokens: ApiTokenStore,
  host: string,
): Promise<Callers & { readonly note: string | undefined }> {
  const isLocal = isLoopback(host);
  const hasOthers = serve.proxy !== undefined || (await apiTokens.count()) > 0;
  const callers = createCallers({
    store: apiTokens,
    proxy: serve.proxy === undefined ? undefined : trustedProxy(serve.proxy),
    isLoopback: isLocal,
    publicUrl: serve.publicUrl,
    countFailure: createRequestRates(FAILURES_PER_SECOND),
  });
  return { ...callers, note: hasOthers ? undefined : isLocal ? LOCAL_ONLY : FIRST_TOKEN };
}

function trustedProxy(proxy: Exclude<LoadedConfig['config']['serve']['proxy'], undefined>): TrustedProxy {
  const { addresses, header, role, targets } = proxy;
  const ranges = rangesOf(addresses);
  return {
    ...{ header: header.toLowerCase(), role, targets },
    isProxy(address) {
      const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
      return isIP(plain) !== 0 && ranges.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
    },
  };
}
