import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { RestDescription } from '../../discovery/description/description.ts';
import { type ApiMethod, methodsOf } from '../../discovery/description/methods.ts';
import { ROLES, type Role } from '../../model/api/api-token.ts';
import { messageOf } from '../../model/errors.ts';
import { type MethodId, RawAnswer } from '../../operations/operation.ts';
import { mayAct, type Principal, principalOf } from '../../operations/principal.ts';
import { readParameters } from '../../operations/read-parameters.ts';
import { Refusal } from '../../operations/refusal.ts';
import type { ApiAnswerStore } from '../../store/api-answers.ts';
import { opensPage } from '../page/mount-page.ts';
import type { AskStore } from './ask-store.ts';
import { callerAddress } from './auth/request-rates.ts';
import { acceptBodies, checkedBody } from './bodies.ts';
import { withHidden } from './hidden.ts';
import type { HttpOperations } from './http-operation.ts';
import { ACCEPTED, abortedWith, isRead, refuseUnrouted, SECRET, StreamAnswer } from './http-operation.ts';
import { MultipartBody } from './multipart.ts';
import { answerClientError, PROBLEM_TYPE, problemOf, refusalOf } from './problem.ts';

export interface ApiServerOptions {
  readonly document: RestDescription;
  readonly operations: HttpOperations;
  /** Who sent a request. Throws `Refusal` for a caller without valid credentials. */
  readonly authenticate: (request: FastifyRequest) => Promise<Principal>;
  /** Runs an operation. */
  readonly askStore: AskStore;
  /** Counts a request of a caller. Throws `Refusal` for one that has too many. */
  readonly countRequest: (caller: string) => void;
  /** Answers to writes with an idempotency key. */
  readonly answers: ApiAnswerStore;
  readonly log: ApiLog;
  /** Time limit for receiving a request with its body, and for an answer of which nothing is read, in milliseconds. */
  readonly receiveMs: number;
  /** Largest body of a request, in bytes. */
  readonly maxBodyBytes: number;
}

export interface ApiLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Longest part of a path: ids of targets have up to 200 characters, percent-encoded. */
const MAX_PART = 2_048;
/** Largest body of a request without files, in bytes. */
const MAX_SMALL_BODY = 1_048_576;

/** A server with a route for every method of the document. It does not listen yet. */
export function createApiServer(options: ApiServerOptions): FastifyInstance {
  const { document, maxBodyBytes, receiveMs, log } = options;
  const app = fastify({
    bodyLimit: maxBodyBytes,
    // Streams never end by themselves.
    forceCloseConnections: true,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: MAX_PART },
    requestTimeout: receiveMs,
    // Idle and slow connections are closed soon after their limit.
    http: { headersTimeout: Math.min(receiveMs, 10_000), connectionsCheckingInterval: 1_000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply as FastifyReply, log),
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request));
  });
  app.addHook('onSend', async ({ raw: request }, reply) => {
    // An answer that its client does not read would stay in memory.
    reply.raw.setTimeout(receiveMs, () => reply.raw.destroy());
    if (reply.statusCode !== 413 || request.complete) return;
    // Many clients read no answer before they have sent all: the connection is closed after that, and after `receiveMs` at the latest.
    reply.removeHeader('connection').raw.shouldKeepAlive = true;
    const both = Promise.all([once(request, 'end'), once(reply.raw, 'finish')]);
    void both.then(() => request.socket.end()).catch(() => {});
    request.unpipe().resume();
  });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, log));
  refuseUnrouted(app, opensPage);
  acceptBodies(
    app,
    maxBodyBytes,
    (request) => principals.get(request)?.name ?? callerAddress(request.socket),
  );
  for (const method of methodsOf(document)) addRoute(app, method, options);
  return app;
}

function headersOf({ id }: FastifyRequest): Readonly<Record<string, string>> {
  return { ...SECURITY_HEADERS, 'x-request-id': id };
}

/** Sent with every answer. A page has a policy of its own in place of the first. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The path of a method, as the router has it. */
function urlOf({ servicePath = '' }: RestDescription, { path }: ApiMethod): string {
  return `/${servicePath}${path.replaceAll(/\{([^{}]+)\}/g, ':$1')}`;
}

function addRoute(app: FastifyInstance, method: ApiMethod, options: ApiServerOptions): void {
  const { document, operations, authenticate, askStore, countRequest, answers, log } = options;
  const operation = operations[method.id as MethodId];
  const role = roleOf(method);
  app.route({
    method: method.httpMethod as 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: urlOf(document, method),
    ...(method.description.mediaUpload !== undefined ? {} : { bodyLimit: MAX_SMALL_BODY }),
    // Before the body is received.
    onRequest: async (request) => {
      if (role === undefined) return;
      const principal = await authenticate(request);
      countRequest(principal.identity);
      if (!mayAct(principal, role)) {
        const detail = `${method.id} needs the role ${role}, and you have ${principal.role}`;
        throw new Refusal(403, 'role-missing', detail);
      }
      principals.set(request, principal);
    },
    handler: async (request, reply) => {
      const principal = principals.get(request) ?? ANYBODY;
      const query = new URLSearchParams((request.raw.url ?? '').split('?').slice(1).join('?'));
      const params = readParameters(method, request.params as Readonly<Record<string, string>>, query);
      const signal = abortedWith(reply);
      const body = checkedBody(document, method, request.body ?? undefined);
      const isAllowed = async (): Promise<boolean> => {
        const { identity } = await authenticate(request);
        return identity === principal.identity;
      };
      const call = { params, body, principal, signal, isAllowed, request };
      if (isRead(method)) {
        const answer = await askStore(() => withHidden(principal, () => operation(call as never)));
        if (answer instanceof StreamAnswer) return await stream(request, reply, answer, log);
        return sendAnswer(request, reply, rawAnswer(answer, method.id));
      }
      const owner = { method: method.id, principal };
      const run = async () => rawAnswer(await operation(call as never), method.id);
      const answer = await askStore(() =>
        answerOnce(answers, request, owner, () => withHidden(principal, run)),
      );
      return sendAnswer(request, reply, answer);
    },
  });
}

function rawAnswer(answer: object, id: string): RawAnswer {
  if (answer instanceof RawAnswer) return answer;
  return new RawAnswer(JSON.stringify(answer), { status: ACCEPTED.has(id) ? 202 : 200 });
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  { run }: StreamAnswer,
  log: ApiLog,
): Promise<void> {
  reply.hijack();
  try {
    await run(reply.raw, headersOf(request));
  } catch (error) {
    log.error({ request: request.id, error: messageOf(error) }, 'a stream failed');
    reply.raw.destroy();
  }
}

const principals = new WeakMap<FastifyRequest, Principal>();

/** Calls a method that needs no role. */
const ANYBODY = principalOf({ name: 'anybody', role: 'read', targets: [], via: 'token' });

/** The role that a method needs: its scope. `undefined` when it needs none. */
function roleOf({ id, description: { scopes = [] } }: ApiMethod): Role | undefined {
  const role = ROLES.find((one) => scopes[0] === one);
  if (role === undefined && scopes.length > 0) throw new RangeError(`${id} names an unknown role`);
  return role;
}

/** Reads have an ETag of their content, so that a caller that has it receives 304. */
function sendAnswer(request: FastifyRequest, reply: FastifyReply, raw: RawAnswer): FastifyReply {
  reply.code(raw.status).headers(raw.headers);
  if (!isRead({ httpMethod: request.method })) {
    return reply.header('cache-control', 'no-store').type(raw.type).send(raw.body);
  }
  const etag = `"${createHash('sha256').update(raw.body).digest('base64url').slice(0, 27)}"`;
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'authorization, cookie');
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag) === true || known?.includes('*') === true) return reply.code(304).send();
  return reply.type(raw.type).send(raw.body);
}

function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: ApiLog,
): FastifyReply {
  const known = refusalOf(error);
  const fields = { request: request.id, method: request.method, path: request.url.split('?', 1)[0] };
  if (known === undefined) log.error({ ...fields, error: messageOf(error) }, 'a request failed');
  // One without a cause is an answer, and no fault.
  else if (known.status >= 500 && known.cause !== undefined)
    log.error({ ...fields, error: known.message }, 'a request failed');
  const refusal =
    known ??
    new Refusal(500, 'internal', 'the server could not answer; its log has the reason under this request');
  return (
    reply
      .code(refusal.status)
      // Requests that fastify itself refuses meet no hook.
      .headers({ ...headersOf(request), ...refusal.headers, 'cache-control': 'no-store' })
      .type(PROBLEM_TYPE)
      .send(JSON.stringify(problemOf(refusal, request.id)))
  );
}

/** Header with the key of a write. */
const HEADER = 'idempotency-key';

/**
 * Answers a write. With the header `Idempotency-Key` it runs once in 24 hours for each caller and key: a repetition has the same
 * answer. A failed request may be repeated. Throws `Refusal`.
 */
async function answerOnce(
  store: ApiAnswerStore,
  request: Pick<FastifyRequest, 'headers' | 'method' | 'url' | 'body'>,
  { method, principal }: { readonly method: string; readonly principal: Principal },
  run: () => Promise<RawAnswer>,
): Promise<RawAnswer> {
  const key = request.headers[HEADER];
  if (key === undefined) return await run();
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw new Refusal(
      400,
      'invalid-parameter',
      'Idempotency-Key has to be 1 to 200 characters without spaces',
    );
  }
  if (SECRET.has(method)) {
    throw new Refusal(
      400,
      'key-refused',
      'the answer has a secret, which is never stored: send no Idempotency-Key',
    );
  }
  const hash = hashOf(request);
  const known = await store.begin(principal.identity, key, hash);
  switch (known.kind) {
    case 'different':
      throw new Refusal(422, 'key-used', 'another request had the same Idempotency-Key');
    case 'running':
      throw new Refusal(409, 'key-running', 'the request is being answered', { retryAfter: 1 });
    case 'answered': {
      const { body, ...answer } = known.answer;
      return new RawAnswer(body, { ...answer, headers: { 'idempotency-replayed': 'true' } });
    }
    default:
  }
  try {
    const { status, type, body } = await run();
    await store.answer(principal.identity, key, hash, { status, type, body });
    return new RawAnswer(body, { status, type });
  } catch (error) {
    await store.release(principal.identity, key);
    throw error;
  }
}

function hashOf({ method, url, body }: Pick<FastifyRequest, 'method' | 'url' | 'body'>): string {
  const hash = createHash('sha256').update(JSON.stringify([method, url]));
  return hash
    .update(body instanceof MultipartBody ? body.digest : JSON.stringify(body ?? null))
    .digest('hex');
}
