import type { FastifyInstance } from 'fastify';
import { Faults } from '../faults.ts';
import { addFaults, createServer, type LocalService, listen, type ServiceOptions } from '../loopback.ts';
import { type LocalIndex, type LocalIndexOptions, openLocalIndex, TEXT } from './local-index.ts';

/** A batch of 5,000 purls with room for long ones. */
const BODY_LIMIT = 8 << 20;

export interface InsightsServiceOptions extends ServiceOptions, LocalIndexOptions {}

export interface InsightsService extends LocalService, Omit<LocalIndex, 'answer'> {
  readonly faults: Faults;
}

/** Starts a local package-insights service: the real protocol over a small index. Throws `EmbeddedError`. */
export async function startInsightsService(options: InsightsServiceOptions = {}): Promise<InsightsService> {
  const index = await openLocalIndex(options);
  const faults = new Faults(options);
  const app = createServer(BODY_LIMIT);
  addFaults(app, faults);
  addDataRoutes(app, index);
  addRoutes(app, index.answer);
  return Object.assign(index, await listen(app, 'The local package-insights service', options), { faults });
}

/** Changes to the data, which the API itself does not have: for tests of what a change of the world leads to. */
function addDataRoutes(app: FastifyInstance, index: LocalIndex): void {
  app.put('/-/advisories', async ({ body }) => {
    const { advisoryFact, parseData } = await import('./given-data.ts');
    return { affected: index.learnAdvisory(parseData(advisoryFact, String(body))) };
  });
  app.delete<{ Params: { id: string } }>('/-/advisories/:id', async ({ params: { id } }) => ({
    affected: index.withdrawAdvisory(id),
  }));
  app.put('/-/packages', async ({ body }) => {
    const { indexedPackage, parseData } = await import('./given-data.ts');
    index.putPackage(parseData(indexedPackage, String(body)));
    return {};
  });
}

function addRoutes(app: FastifyInstance, answer: LocalIndex['answer']): void {
  app.setErrorHandler<Error & { statusCode?: number }>(async (error, _request, reply) =>
    reply
      .code(error.statusCode ?? 500)
      .type(TEXT)
      .send(error.statusCode === undefined ? 'internal error' : error.message),
  );
  app.all('/*', async (request, reply) => {
    const { method, body: asked } = request;
    const { status, headers, body } = answer({ method, url: request.raw.url ?? '/', body: asked });
    return reply
      .code(status)
      .headers({ ...headers })
      .send(body);
  });
}
