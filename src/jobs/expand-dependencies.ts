import { z } from 'zod';
import { lazily } from '../model/lazily.ts';
import type { ExpandedDependencies } from '../model/lockfile/dependency-graph.ts';
import { SYSTEMS } from '../model/lockfile/ecosystem.ts';
import { EXPANDED_DEPENDENCIES } from '../model/stored/catalog.ts';
import { fetchGraphs } from '../scan/graphs.ts';
import type { Job } from './job.ts';
import { dividedAt, partKey, scanId } from './payloads/fields.ts';

const versionKey = () =>
  z.strictObject({
    system: z.enum(SYSTEMS),
    name: z.string().min(1).max(1_000),
    version: z.string().min(1).max(1_000),
  });

const schema = lazily(() =>
  z.strictObject({
    scan: scanId(),
    dividedAt: dividedAt(),
    part: z.int().nonnegative(),
    versionKeys: z.array(versionKey()).max(1_000),
  }),
);

type ExpandDependencies = z.infer<ReturnType<typeof schema>>;

/** Fetches dependency graphs (GetDependencies) for lockfiles without edges, through the cache. */
export const expandDependencies: Job<ExpandDependencies, ExpandedDependencies, 'insights'> = {
  name: 'expand-dependencies',
  version: 1,
  schema,
  key: ({ scan, ...part }) => partKey({ of: scan, ...part }),
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
