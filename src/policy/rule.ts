import type { Advisory } from '../model/advisory.ts';
import type { DependencyGraph } from '../model/dependency-graph.ts';
import type { Finding } from '../model/finding.ts';
import type { Inventory } from '../model/inventory.ts';
import type { Target } from '../model/target.ts';
import type { PlacedPackage } from './placed-packages.ts';

/** What is known of a scan when it is judged. */
export interface ScanFacts {
  readonly target: Target;
  readonly inventory: Inventory;
  /** By id; an advisory that a package refers to and that is not here could not be loaded. */
  readonly advisories: ReadonlyMap<string, Advisory>;
  /** Resolved graphs by `formatVersionKey`, for files that hold no edges themselves. */
  readonly graphs: ReadonlyMap<string, DependencyGraph>;
}

export interface RuleContext extends ScanFacts {
  /** Every package version of the target once, with all its places. */
  readonly packages: readonly PlacedPackage[];
}

/** A rule turns facts into findings. It is pure, and a missing fact is no reason to throw. */
export interface Rule {
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  /** Whether it judges version records: without its package's record nothing tells whether a finding still holds. */
  readonly readsRecords: boolean;
  judge(context: RuleContext): readonly Finding[];
}
