import type { Advisory } from '../scan/advisory.ts';
import type { DependencyGraph } from '../scan/dependency-graph.ts';
import type { LockedPackage } from '../scan/lockfile.ts';
import type { Resolution } from '../scan/resolution.ts';
import type { VersionKey } from '../scan/version-key.ts';

export interface ResolveOptions {
  readonly signal: AbortSignal;
  /** Called with the number of packages that have an outcome. */
  readonly progress?: (done: number, total: number) => void;
}

export interface Resolved {
  /** One for each package, in order; packages that could not be looked up are `failed`. */
  readonly resolutions: readonly Resolution[];
  /** Whether a failed look-up may succeed later. */
  readonly retryable: boolean;
  /** The longest wait that the service requested. */
  readonly retryAfterMs?: number | undefined;
}

/** The package-insights API as the jobs use it: cached, with one request for concurrent callers. */
export interface Insights {
  /** One resolution for each package, in order. Rejects when aborted, and when the seen versions cannot be read. */
  resolve(packages: readonly LockedPackage[], options: ResolveOptions): Promise<Resolved>;
  /** `undefined` when the index has no advisory of that id. Throws `InsightsError`. */
  advisory(id: string, signal: AbortSignal): Promise<Advisory | undefined>;
  /** `undefined` when there is no graph: not computed, or a system without graphs. Throws `InsightsError`. */
  dependencies(key: VersionKey, signal: AbortSignal): Promise<DependencyGraph | undefined>;
}
