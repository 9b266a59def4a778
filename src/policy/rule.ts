import type { Advisory } from '../model/scan/advisory.ts';
import type { DependencyGraph } from '../model/scan/dependency-graph.ts';
import type { Finding, RatedSeverity, Severity } from '../model/scan/finding.ts';
import type { Inventory } from '../model/scan/inventory.ts';
import type { Policy, RuleLevel } from '../model/scan/policy.ts';
import type { Target } from '../model/scan/target.ts';
import type { LocatedPackage } from './located-packages.ts';

/** The facts of a scan. */
export interface ScanFacts {
  readonly target: Target;
  readonly inventory: Inventory;
  /** By id; advisories that could not be loaded are absent. */
  readonly advisories: ReadonlyMap<string, Advisory>;
  /** Resolved graphs by `formatVersionKey`, for lockfiles without edges. */
  readonly graphs: ReadonlyMap<string, DependencyGraph>;
  readonly policy: Policy;
}

export interface RuleContext extends ScanFacts {
  /** A slice of the target's package versions, each once, with all its locations. */
  readonly packages: readonly LocatedPackage[];
}

/** `judge.ts` adds the rule's name and level, and its severity where the finding has none. */
export interface RuleFinding extends Omit<Finding, 'rule' | 'level' | 'severity' | 'countsAs'> {
  readonly severity?: Severity;
}

/** Turns facts into findings. Pure; does not throw when facts are missing. */
export interface Rule {
  readonly name: string;
  /** What it finds, in one line of Markdown for the documentation. */
  readonly description: string;
  /** Whether it reads version records: without the record of its package, a finding can be neither confirmed nor disproved. */
  readonly readsRecords: boolean;
  /** Default; like `severity`, the configuration can override it (`policy.rules`). */
  readonly level: RuleLevel;
  /** Absent where each finding has its own. */
  readonly severity?: RatedSeverity;
  /** How long a finding may stay open as a note before it becomes an alert, in milliseconds. Absent: unlimited. */
  noteLimit?(policy: Policy): number;
  judge(context: RuleContext): readonly RuleFinding[];
}
