import { z } from 'zod';
import type { DependencyGraph } from '../model/dependency-graph.ts';
import { formatVersionKey, type VersionKey } from '../model/version-record.ts';
import { gather } from './gather.ts';
import type { Job } from './job.ts';
import { scanId } from './scan-id.ts';
import { partKey } from './scan-part.ts';

const versionKey = z.strictObject({
  system: z.enum(['GO', 'RUBYGEMS', 'NPM', 'CARGO', 'MAVEN', 'PYPI', 'NUGET']),
  name: z.string().min(1).max(1_000),
  version: z.string().min(1).max(1_000),
});

const schema = z.strictObject({
  scan: scanId,
  part: z.int().nonnegative(),
  versionKeys: z.array(versionKey).max(1_000),
});

/** Dependency graphs of one part of a scan. A version in neither list has none computed: not the same as none. */
export interface ExpandedDependencies {
  readonly graphs: readonly { readonly versionKey: VersionKey; readonly graph: DependencyGraph }[];
  readonly failed: readonly { readonly versionKey: VersionKey; readonly reason: string }[];
}

/** Fetches the graphs (GetDependencies) that a lockfile does not hold itself, through the cache. */
export const expandDependencies: Job<z.infer<typeof schema>, ExpandedDependencies, 'insights'> = {
  name: 'expand-dependencies',
  version: 1,
  schema,
  limits: { attempts: 6, backoffMs: 2_000, maxBackoffMs: 120_000, timeoutMs: 300_000, concurrency: 4 },
  needs: ['insights'],
  key: partKey,
  async run({ versionKeys }, { insights }, context) {
    const gathered = await gather(
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
};
