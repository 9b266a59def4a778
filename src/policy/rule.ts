import type { Advisory } from '../model/scan/advisory.ts';
import type { DependencyGraph } from '../model/scan/dependency-graph.ts';
import type { Finding, RatedSeverity, Severity } from '../model/scan/finding.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Policy, RuleLevel } from '../model/scan/policy.ts';
import type { Target } from '../model/scan/target.ts';
import type { LocatedPackage } from './located-packages.ts';

/** What is known of a scan when it is judged. */
export interface ScanFacts {
  readonly target: Target;
  readonly inventory: Inventory;
  /** By id; an advisory that a package refers to and that is not here could not be loaded. */
  readonly advisories: ReadonlyMap<string, Advisory>;
  /** Resolved graphs by `formatVersionKey`, for files that hold no edges themselves. */
  readonly graphs: ReadonlyMap<string, DependencyGraph>;
  readonly policy: Policy;
}

export interface RuleContext extends ScanFacts {
  /** Some of the target's package versions, each once, with all its places. Other calls bring the others. */
  readonly packages: readonly LocatedPackage[];
}

/** What a rule finds. `judge.ts` adds the rule's name, its level and, where the finding has none of its own, its severity. */
export interface RuleFinding extends Omit<Finding, 'rule' | 'level' | 'severity' | 'countsAs'> {
  readonly severity?: Severity;
}

/** A rule turns facts into findings. It is pure, and a missing fact is no reason to throw. */
export interface Rule {
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  /** Whether it judges version records: without its package's record nothing tells whether a finding still holds. */
  readonly readsRecords: boolean;
  /** In effect unless the configuration sets another one (`policy.rules`); so is `severity`. */
  readonly level: RuleLevel;
  /** Absent where each finding has its own. */
  readonly severity?: RatedSeverity;
  /** How long a finding may stay open as a note before it becomes an alert; milliseconds. Absent: for ever. */
  noteLimit?(policy: Policy): number;
  judge(context: RuleContext): readonly RuleFinding[];
}
