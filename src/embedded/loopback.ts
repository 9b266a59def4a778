import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { messageOf } from '../model/errors.ts';
import { listen as listenOn } from '../model/listen.ts';
import type { ErrorShape, Fault, FaultOptions, Faults } from './faults.ts';
import { errorAnswer, PLAIN_ERRORS } from './faults.ts';

export interface ListenOptions {
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Default `127.0.0.1`: a local service is for this machine only. */
  readonly host?: string | undefined;
}

/** The options of every local service. */
export interface ServiceOptions extends ListenOptions, FaultOptions {}

/** `url`: base URL without a trailing slash. `close`: breaks open connections and stops listening. May be called more than once. */
export type LocalService = Awaited<ReturnType<typeof listen>>;

/** A server that closes with open connections; bodies of up to `bodyLimit` bytes are read as text. */
export function createServer(bodyLimit: number, errors: ErrorShape = PLAIN_ERRORS): FastifyInstance {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    // For URLs that fastify itself refuses (broken percent-encoding).
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      reply
        .code(400)
        .type(errors.type)
        .send(errors.body(messageOf(error)));
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  return app;
}

/** Applies latency and faults before a request is handled. */
export function addFaults(app: FastifyInstance, faults: Faults, errors: ErrorShape = PLAIN_ERRORS): void {
  const unanswered = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', async (request, reply) => {
    const fault = await faults.meet({ method: request.method, url: request.raw.url ?? '/' });
    if (fault?.kind === 'drop-answer') unanswered.add(request);
    else if (fault !== undefined) return sendFault(fault, request, reply, errors);
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    if (unanswered.has(request)) request.raw.socket.destroy();
    return payload;
  });
}

/** Sends a fault instead of the answer. */
export function sendFault(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  errors: ErrorShape = PLAIN_ERRORS,
): FastifyReply {
  if (fault.kind === 'answer') {
    const { status, headers, body } = fault;
    const { body: text, type } = errorAnswer(status, errors);
    if (body === undefined && status >= 400) reply.type(type);
    return reply
      .code(status)
      .headers({ ...headers })
      .send(body ?? (status >= 400 ? text : ''));
  }
  reply.hijack();
  if (fault.kind !== 'hang') request.raw.socket.destroy();
  return reply;
}

/** Starts listening. Throws `ListenError`, for example when the port is in use. */
export async function listen(
  app: FastifyInstance,
  what: string,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
) {
  const url = await listenOn(app, what, { port, host });
  return { url, close: async () => void (await app.close()) };
}
