import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../operations/refusal.ts';

/**
 * Refuses requests that no route answers, before their body is received: with 405 when their path has other verbs, else with 404. To be
 * called before routes are added.
 */
export function refuseUnrouted(app: FastifyInstance): void {
  const verbsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const verbs = verbsOf.get(url) ?? new Set();
    verbsOf.set(url, verbs);
    for (const verb of [method].flat()) verbs.add(verb);
  });
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw unrouted(request, verbsOf);
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
