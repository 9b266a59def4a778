import { z } from 'zod';
import { versionKeySchema } from '../scan/inventory.ts';
import type { ValueOf } from '../stored/kind.ts';

/** A resolved dependency graph (package-insights API, "Dependency graph"); the first node is the root. */
export type DependencyGraph = ValueOf<typeof dependencyGraphSchema>;

export const dependencyGraphSchema = z.object({
  nodes: z.array(
    z.object({ versionKey: versionKeySchema, relation: z.enum(['SELF', 'DIRECT', 'INDIRECT']) }),
  ),
  /** Indexes into `nodes`. */
  edges: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      /** The requirement of `from`, in the ecosystem's notation. */
      requirement: z.string().exactOptional(),
    }),
  ),
  /** Graph-level or node-level errors of the service; the graph may be incomplete where there are any. */
  errors: z.array(z.string()),
});

/** The graphs that one `expand-dependencies` job fetched. */
export type ExpandedDependencies = ValueOf<typeof expandedDependenciesSchema>;

export const expandedDependenciesSchema = z.object({
  graphs: z.array(z.object({ versionKey: versionKeySchema, graph: dependencyGraphSchema })),
  failed: z.array(z.object({ versionKey: versionKeySchema, reason: z.string() })),
});
