import type { ExpandedDependencies } from '../model/lockfile/dependency-graph.ts';
import { EXPANDED_DEPENDENCIES } from '../model/stored/catalog.ts';
import { fetchGraphs } from '../scan/graphs.ts';
import type { Job } from './job.ts';
import { EXPAND_DEPENDENCIES, type ExpandDependencies } from './payloads/expand-dependencies.ts';

/** Fetches dependency graphs (GetDependencies) for lockfiles without edges, through the cache. */
export const expandDependencies: Job<ExpandDependencies, ExpandedDependencies, 'insights'> = {
  ...EXPAND_DEPENDENCIES,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  resultKind: EXPANDED_DEPENDENCIES,
  async run({ versionKeys }, { insights }, context) {
    return { result: await fetchGraphs(versionKeys, insights, context), next: [] };
  },
  log: ({ scan, part }, { graphs, failed }) => ({
    facts: { scan, part, graphs: graphs.length, gaps: failed.length },
    warning: failed.length === 0 ? undefined : 'dependency graphs could not be fetched',
  }),
};
