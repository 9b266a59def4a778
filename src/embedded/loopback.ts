import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { messageOf } from '../model/errors.ts';
import { type ErrorShape, PLAIN_ERRORS } from './error-shape.ts';
import { EmbeddedError } from './errors.ts';
import { errorAnswer, type Fault, type FaultOptions, type Faults } from './faults.ts';

export interface ListenOptions {
  /** 0, the default, lets the system choose. */
  readonly port?: number;
  /** `127.0.0.1` by default: a local service is for this machine alone. */
  readonly host?: string;
}

/** What every local service can be told. */
export interface ServiceOptions extends ListenOptions, FaultOptions {}

export interface LocalService {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Breaks open connections and waits until nothing listens. May be called again. */
  close(): Promise<void>;
}

/** A server whose connections do not keep it from closing; bodies up to `bodyLimit` bytes arrive as text. */
export function createServer(bodyLimit: number, errors: ErrorShape = PLAIN_ERRORS): FastifyInstance {
  const app = fastify({
    bodyLimit,
    forceCloseConnections: true,
    // Addresses fastify itself refuses (broken percent-encoding) get the same kind of answer as any other error.
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

/** Waits and fails as `faults` say, before a request is looked at. */
export function addFaults(app: FastifyInstance, faults: Faults, errors: ErrorShape = PLAIN_ERRORS): void {
  const unanswered = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', async (request, reply) => {
    const fault = await faults.meet({ method: request.method, url: request.raw.url ?? '/' });
    if (fault?.kind === 'drop-answer') unanswered.add(request);
    else if (fault !== undefined) return actOut(fault, request, reply, errors);
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    if (unanswered.has(request)) request.raw.socket.destroy();
    return payload;
  });
}

/** Acts out a fault in place of, or after, a proper answer. */
export function actOut(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  errors: ErrorShape = PLAIN_ERRORS,
): FastifyReply {
  if (fault.kind === 'answer') {
    const { status, headers, body } = fault;
    const { body: said, type } = errorAnswer(status, errors);
    if (body === undefined && status >= 400) reply.type(type);
    return reply
      .code(status)
      .headers({ ...headers })
      .send(body ?? (status >= 400 ? said : ''));
  }
  reply.hijack();
  if (fault.kind !== 'hang') request.raw.socket.destroy();
  return reply;
}

/** Starts to listen. Throws `EmbeddedError` (`service-not-started`), as when the port is taken. */
export async function listen(
  app: FastifyInstance,
  what: string,
  { port = 0, host = '127.0.0.1' }: ListenOptions,
): Promise<LocalService> {
  try {
    const url = await app.listen({ port, host });
    return { url, close: async () => void (await app.close()) };
  } catch (error) {
    throw new EmbeddedError(
      'service-not-started',
      `${what} could not listen on ${host}:${port}: ${messageOf(error)}. Choose another port or free this one.`,
      { cause: error },
    );
  }
}
