import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call, MethodId } from '../../operations/operation.ts';
import { Refusal } from '../../operations/refusal.ts';

/** Methods that are answered before their work is done (202). */
export const ACCEPTED: ReadonlySet<string> = new Set<MethodId>(['lockhound.scans.submit']);

/** Methods whose answers have secrets, which are never stored: they take no key. */
export const SECRET: ReadonlySet<string> = new Set<MethodId>([
  'lockhound.session.create',
  'lockhound.tokens.create',
]);

/** Whether a method changes nothing. */
export function isRead({ httpMethod }: { readonly httpMethod: string }): boolean {
  return httpMethod === 'GET' || httpMethod === 'HEAD';
}

/** A call over HTTP. */
export interface HttpCall<Id extends MethodId = MethodId> extends Call<Id> {
  /** Whether the caller may still call, for answers that take long. */
  readonly isAllowed: () => Promise<boolean>;
  readonly request: Pick<FastifyRequest, 'headers' | 'socket' | 'id'>;
}

/** An answer that is written bit by bit. `headers`: those of every answer. */
export class StreamAnswer {
  readonly run: (raw: ServerResponse, headers: Readonly<Record<string, string>>) => Promise<void>;

  constructor(run: StreamAnswer['run']) {
    this.run = run;
  }
}

/** A function for every method of the document. It resolves to a value of the response schema, to a `RawAnswer` or to a `StreamAnswer`. */
export type HttpOperations = { readonly [Id in MethodId]: (call: HttpCall<Id>) => Promise<object> };

/**
 * Refuses requests that no route answers, before their body is received: with 405 when their path has other verbs, else with 404. To be
 * called before routes are added. `isAnswered`: whether a handler for what is not found answers one of them.
 */
export function refuseUnrouted(
  app: FastifyInstance,
  isAnswered: (request: FastifyRequest) => boolean = () => false,
): void {
  const verbsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const verbs = verbsOf.get(url) ?? new Set();
    verbsOf.set(url, verbs);
    for (const verb of [method].flat()) verbs.add(verb);
  });
  app.addHook('onRequest', async (request) => {
    if (request.is404 && !isAnswered(request)) throw unrouted(request, verbsOf);
  });
}

function unrouted({ method, url }: FastifyRequest, verbsOf: ReadonlyMap<string, Set<string>>): Refusal {
  const [path = ''] = url.split('?', 1);
  const routes = [...verbsOf].filter(([route]) => fits(route, path));
  const verbs = new Set(routes.flatMap(([, own]) => [...own]));
  if (verbs.size === 0) return new Refusal(404, 'no-route', `no ${method} ${path}`);
  const allow = [...verbs].sort().join(', ');
  const detail = `the path has ${allow}, and not ${method}`;
  return new Refusal(405, 'verb-not-allowed', detail, { headers: { allow } });
}

/** Whether a path is one of a route, whose parts with `:` stand for any name. */
function fits(route: string, path: string): boolean {
  const parts = path.split('/');
  const wanted = route.split('/');
  if (parts.length !== wanted.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]));
}

/** Aborts when the caller closes the connection before it has the answer. */
export function abortedWith({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
