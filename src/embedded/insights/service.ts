import type { FastifyInstance } from 'fastify';
import { readBundledDescription } from '../../discovery/bundled.ts';
import type { VersionKey } from '../../model/scan/version-key.ts';
import { EmbeddedError } from '../errors.ts';
import { Faults } from '../faults.ts';
import { addFaults, createServer, type LocalService, listen, type ServiceOptions } from '../loopback.ts';
import { matchRoute, type Route, routesOf } from '../routes.ts';
import { type AdvisoryFact, type InsightsData, readBundledData } from './data-set.ts';
import { type Answer, insightsOperations } from './handler.ts';
import { InsightsModel } from './model.ts';

/** A batch of 5,000 purls with room for long ones. */
const BODY_LIMIT = 8 << 20;
const TEXT = 'text/plain; charset=utf-8';

export interface InsightsServiceOptions extends ServiceOptions {
  /** Default: the bundled data set. */
  readonly data?: InsightsData;
  /** Entries per page of a batch. Default 100, as observed of the public service (field notes, "Batches"). */
  readonly pageSize?: number;
}

export interface InsightsStats {
  /** Number of requests that reached an operation, by method id. */
  readonly requests: ReadonlyMap<string, number>;
  /** Number of batch entries answered. */
  readonly entries: number;
}

export interface InsightsService extends LocalService {
  readonly faults: Faults;
  /** May be changed while the service runs. */
  pageSize: number;
  /** Advisories of the data set that are not served yet. */
  readonly heldBack: readonly AdvisoryFact[];
  /** Serves the advisory from now on, also with the versions that it affects; returns these. */
  learnAdvisory(advisory: AdvisoryFact): readonly VersionKey[];
  /** Returns whether the data set has any version of a package. */
  covers(key: Pick<VersionKey, 'system' | 'name'>): boolean;
  stats(): InsightsStats;
}

/** Starts a local package-insights service: the real protocol over a small index. Throws `EmbeddedError`. */
export async function startInsightsService(options: InsightsServiceOptions = {}): Promise<InsightsService> {
  const data = options.data ?? (await readBundledData());
  const faults = new Faults(options);
  const model = new InsightsModel(data);
  const settings = { pageSize: options.pageSize ?? 100 };
  const dispatcher = await createDispatcher(insightsOperations(model, () => settings.pageSize));
  const app = createServer(BODY_LIMIT);
  addFaults(app, faults);
  addRoutes(app, dispatcher.answer);
  const service = await listen(app, 'The local package-insights service', options);
  return Object.assign(settings, {
    ...service,
    faults,
    heldBack: data.advisories.filter(({ heldBack }) => heldBack),
    learnAdvisory: (advisory: AdvisoryFact) => model.learnAdvisory(advisory),
    covers: ({ system, name }: Pick<VersionKey, 'system' | 'name'>) => model.find(system, name) !== undefined,
    stats: dispatcher.stats,
  });
}

interface Dispatcher {
  answer(httpMethod: string, url: string, body: unknown): Answer;
  stats(): InsightsStats;
}

/** Finds the operation of each request in the description document, and counts requests. */
async function createDispatcher(operations: ReturnType<typeof insightsOperations>): Promise<Dispatcher> {
  const routes = routesOf(await readBundledDescription('insights.v3alpha'));
  requireAll(routes, operations);
  const counts = new Map<string, number>();
  let entries = 0;
  return {
    answer(httpMethod, url, body) {
      const match = matchRoute(routes, httpMethod, url);
      if (match.kind === 'none') return { status: 404, text: 'not found' };
      if (match.kind === 'invalid') return { status: 400, text: match.reason };
      const { id } = match.method;
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const answered = operations[id]?.({ parameters: match.parameters, body });
      if (answered === undefined) throw new EmbeddedError('document-unusable', `No operation answers ${id}`);
      if ('entries' in answered) entries += answered.entries ?? 0;
      return answered;
    },
    stats: () => ({ requests: new Map(counts), entries }),
  };
}

function addRoutes(app: FastifyInstance, answer: Dispatcher['answer']): void {
  app.setErrorHandler<Error & { statusCode?: number }>(async (error, _request, reply) =>
    reply
      .code(error.statusCode ?? 500)
      .type(TEXT)
      .send(error.statusCode === undefined ? 'internal error' : error.message),
  );
  app.all('/*', async (request, reply) => {
    const answered = answer(request.method, request.raw.url ?? '/', request.body);
    if ('text' in answered) return reply.code(answered.status).type(TEXT).send(answered.text);
    return reply
      .header('cache-control', 'max-age=3600')
      .type('application/json; charset=utf-8')
      .send(answered.json);
  });
}

function requireAll(routes: readonly Route[], operations: Readonly<Record<string, unknown>>): void {
  for (const { method } of routes) {
    if (!(method.id in operations)) {
      throw new EmbeddedError(
        'document-unusable',
        `The description document lists ${method.id}, which the local service does not implement`,
      );
    }
  }
}
