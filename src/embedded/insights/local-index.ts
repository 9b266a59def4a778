import { readBundledDescription } from '../../discovery/bundled.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import { EmbeddedError } from '../errors.ts';
import { matchRoute, type Route, routesOf } from '../routes.ts';
import {
  type AdvisoryFact,
  type IndexedPackage,
  type InsightsData,
  type ProjectFact,
  readBundledData,
} from './data-set.ts';
import { insightsOperations, type Reply } from './handler.ts';
import { InsightsModel } from './model.ts';

export interface LocalIndexOptions {
  /** Default: the bundled data set. */
  readonly data?: InsightsData;
  /** Overrides `partial` of the data. `false` acts as a service that knows every package of the registries. */
  readonly partial?: boolean;
  /** Entries per page of a batch. Default 100, as observed of the public service (field notes, "Batches"). */
  readonly pageSize?: number;
}

export interface InsightsStats {
  /** Number of requests that reached an operation, by method id. */
  readonly requests: ReadonlyMap<string, number>;
  /** Number of batch entries answered. */
  readonly entries: number;
}

interface LocalRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: unknown;
}

interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The package-insights API over a small index: the answers of the local service, without its server. */
export interface LocalIndex {
  /** May be changed at any time. */
  pageSize: number;
  /** Advisories of the data set that are not served yet. */
  readonly heldBack: readonly AdvisoryFact[];
  answer(request: LocalRequest): LocalAnswer;
  /** Serves the advisory from now on, also with the versions that it affects; returns these. Replaces one of the same id. */
  learnAdvisory(advisory: AdvisoryFact): readonly VersionKey[];
  /** Serves the advisory no longer; returns the versions that it affected. */
  withdrawAdvisory(id: string): readonly VersionKey[];
  /** The package as it is served now. */
  findPackage(key: Pick<VersionKey, 'system' | 'name'>): IndexedPackage | undefined;
  /** Serves the package from now on with these versions alone. */
  putPackage(indexedPackage: IndexedPackage): void;
  /** Serves these facts about a project from now on. */
  putProject(project: ProjectFact): void;
  stats(): InsightsStats;
}

/** The type of answers that are not JSON. */
export const TEXT = 'text/plain; charset=utf-8';

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'max-age=3600' };

/** Throws `EmbeddedError`: the data set or the description document cannot be used. */
export async function openLocalIndex(options: LocalIndexOptions = {}): Promise<LocalIndex> {
  const data = options.data ?? (await readBundledData());
  const model = new InsightsModel({ ...data, partial: options.partial ?? data.partial ?? false });
  const settings = { pageSize: options.pageSize ?? 100 };
  return Object.assign(settings, {
    ...(await answersOf(model, () => settings.pageSize)),
    heldBack: data.advisories.filter(({ heldBack }) => heldBack),
    learnAdvisory: (advisory: AdvisoryFact) => model.learnAdvisory(advisory),
    withdrawAdvisory: (id: string) => model.withdrawAdvisory(id),
    findPackage: ({ system, name }: Pick<VersionKey, 'system' | 'name'>) => model.find(system, name),
    putPackage: (indexedPackage: IndexedPackage) => model.putPackage(indexedPackage),
    putProject: (project: ProjectFact) => model.putProject(project),
  });
}

/** The answers of a model to requests of the API. Throws `EmbeddedError`: the description document cannot be used. */
async function answersOf(
  model: InsightsModel,
  pageSize: () => number,
): Promise<Pick<LocalIndex, 'answer' | 'stats'>> {
  const dispatcher = await createDispatcher(insightsOperations(model, pageSize));
  return {
    answer(request) {
      const answered = dispatcher.answer(request);
      return 'text' in answered
        ? { status: answered.status, headers: { 'content-type': TEXT }, body: answered.text }
        : { status: 200, headers: JSON_HEADERS, body: answered.json };
    },
    stats: dispatcher.stats,
  };
}

/** Finds the operation of each request in the description document, and counts requests. */
async function createDispatcher(operations: ReturnType<typeof insightsOperations>) {
  const routes = routesOf(await readBundledDescription('insights.v3alpha'));
  requireAll(routes, operations);
  const counts = new Map<string, number>();
  let entries = 0;
  return {
    answer({ method: httpMethod, url, body }: LocalRequest): Reply {
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
    stats: (): InsightsStats => ({ requests: new Map(counts), entries }),
  };
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
