import type { DependencyGraph } from '../model/scan/dependency-graph.ts';
import { formatVersionKey, type VersionKey } from '../model/scan/version-key.ts';
import { fetchAll } from './fetch-all.ts';
import type { Job } from './job.ts';
import { EXPAND_DEPENDENCIES, type ExpandDependencies } from './payloads/expand-dependencies.ts';

/** Dependency graphs of one part of a scan. A version in neither list has none computed: not the same as none. */
export interface ExpandedDependencies {
  readonly graphs: readonly { readonly versionKey: VersionKey; readonly graph: DependencyGraph }[];
  readonly failed: readonly { readonly versionKey: VersionKey; readonly reason: string }[];
}

/** Fetches the graphs (GetDependencies) that a lockfile does not hold itself, through the cache. */
export const expandDependencies: Job<ExpandDependencies, ExpandedDependencies, 'insights'> = {
  ...EXPAND_DEPENDENCIES,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  needs: ['insights'],
  async run({ versionKeys }, { insights }, context) {
    const gathered = await fetchAll(
      versionKeys,
      (key) => insights.dependencies(key, context.signal),
      (key) => `dependencies of ${formatVersionKey(key)}`,
      context,
    );
    return {
      result: {
        graphs: gathered.found.map(({ key, fact }) => ({ versionKey: key, graph: fact })),
        failed: gathered.failed.map(({ key, reason }) => ({ versionKey: key, reason })),
      },
      next: [],
    };
  },
  log: ({ scan, part }, { graphs, failed }) => ({
    facts: { scan, part, graphs: graphs.length, gaps: failed.length },
    ...(failed.length === 0 ? {} : { warning: 'dependency graphs could not be fetched' }),
  }),
};
