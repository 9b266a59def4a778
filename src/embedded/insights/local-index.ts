import { readBundledDescription } from '../../discovery/bundled.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import { EmbeddedError } from '../errors.ts';
import { matchRoute, type Route, routesOf } from '../routes.ts';
import { Refused } from './batch.ts';
import type { AdvisoryFact, IndexedPackage, InsightsData, ProjectFact } from './data-set.ts';
import { readBundledData } from './data-set.ts';
import { insightsOperations } from './handler.ts';
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

/** The type of answers that are not JSON. */
export const TEXT = 'text/plain; charset=utf-8';

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'max-age=3600' };

/** The package-insights API over a small index: the answers of the local service, without its server. */
export type LocalIndex = Awaited<ReturnType<typeof openLocalIndex>>;

/** Throws `EmbeddedError`: the data set or the description document cannot be used. */
export async function openLocalIndex(options: LocalIndexOptions = {}) {
  const data = options.data ?? (await readBundledData());
  const model = new InsightsModel({ ...data, partial: options.partial ?? data.partial ?? false });
  const document = await readBundledDescription('insights.v3alpha');
  const operations = insightsOperations(model, document.schemas ?? {}, () => index.pageSize);
  const routes = routesOf(document);
  requireAll(routes, operations);
  const counts = new Map<string, number>();
  let entries = 0;
  const valueFor = ({ method: httpMethod, url, body }: LocalRequest): object => {
    const match = matchRoute(routes, httpMethod, url);
    if (match.kind === 'none') throw new Refused(404, 'not found');
    if (match.kind === 'invalid') throw new Refused(400, match.reason);
    const { id } = match.method;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    const value = operations[id]?.({ parameters: match.parameters, body });
    if (value === undefined) throw new EmbeddedError('document-unusable', `No operation answers ${id}`);
    if ('responses' in value && Array.isArray(value.responses)) entries += value.responses.length;
    return value;
  };
  const index = {
    /** May be changed at any time. */
    pageSize: options.pageSize ?? 100,
    /** Advisories of the data set that are not served yet. */
    heldBack: data.advisories.filter(({ heldBack }) => heldBack) as readonly AdvisoryFact[],
    answer(request: LocalRequest): LocalAnswer {
      try {
        return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(valueFor(request)) };
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        return { status: error.status, headers: { 'content-type': TEXT }, body: error.message };
      }
    },
    /** Serves the advisory from now on, also with the versions that it affects; returns these. Replaces one of the same id. */
    learnAdvisory: (advisory: AdvisoryFact) => model.learnAdvisory(advisory),
    /** Serves the advisory no longer; returns the versions that it affected. */
    withdrawAdvisory: (id: string) => model.withdrawAdvisory(id),
    /** Returns the package as it is served now. */
    findPackage: ({ system, name }: Pick<VersionKey, 'system' | 'name'>) => model.find(system, name),
    /** Serves the package from now on with these versions alone. */
    putPackage: (indexedPackage: IndexedPackage) => model.putPackage(indexedPackage),
    /** Serves these facts about a project from now on. */
    putProject: (project: ProjectFact) => model.putProject(project),
    stats: (): InsightsStats => ({ requests: new Map(counts), entries }),
  };
  return index;
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
