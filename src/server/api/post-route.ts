import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../operations/principal.ts';
import type { ApiServerOptions } from './api-server.ts';
import { abortedWith } from './http-operation.ts';

export type RouteParts = Pick<ApiServerOptions, 'authenticate' | 'countRequest' | 'askStore'>;

/** Adds a `POST` that is no method of the document. Every role may use it; the caller is known before the body is received. */
export function addPost(
  app: FastifyInstance,
  url: string,
  { authenticate, countRequest, bodyLimit }: RouteParts & { readonly bodyLimit: number },
  answer: (request: FastifyRequest, principal: Principal, signal: AbortSignal) => Promise<unknown>,
): void {
  const principals = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method: 'POST',
    url,
    bodyLimit,
    onRequest: async (request) => {
      const principal = await authenticate(request);
      countRequest(principal.identity);
      principals.set(request, principal);
    },
    handler: async (request, reply) =>
      await answer(request, principals.get(request) as Principal, abortedWith(reply)),
  });
}
