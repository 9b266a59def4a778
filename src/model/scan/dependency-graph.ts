import type { VersionKey } from './version-key.ts';

/** A resolved dependency graph (package-insights API, "Dependency graph"); the first node is the root. */
export interface DependencyGraph {
  readonly nodes: readonly {
    readonly versionKey: VersionKey;
    readonly relation: 'SELF' | 'DIRECT' | 'INDIRECT';
  }[];
  /** Indexes into `nodes`. */
  readonly edges: readonly { readonly from: number; readonly to: number }[];
  /** Graph-level or node-level errors of the service; the graph may be incomplete where there are any. */
  readonly errors: readonly string[];
}

/** What one `expand-dependencies` job fetched. */
export interface ExpandedDependencies {
  readonly graphs: readonly { readonly versionKey: VersionKey; readonly graph: DependencyGraph }[];
  readonly failed: readonly { readonly versionKey: VersionKey; readonly reason: string }[];
}
