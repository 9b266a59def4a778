import type { DependencyGraph } from '../model/lockfile/dependency-graph.ts';
import type { FixedVersion, Target } from '../model/scan/change.ts';
import type { Finding } from '../model/scan/finding.ts';
import type { Advisory, Inventory } from '../model/scan/inventory.ts';
import type { Policy, RuleLevel } from '../model/scan/policy.ts';
import type { RatedSeverity, Severity } from '../model/scan/severity.ts';
import type { Inspection } from '../model/signal/inspection.ts';
import type { LocatedPackage, PathFinder } from './located-packages.ts';

/** The facts of a scan. */
export interface RuleFacts {
  readonly target: Target;
  readonly inventory: Inventory;
  /** The advisories by id; those that could not be loaded are absent. */
  readonly advisories: ReadonlyMap<string, Advisory>;
  /** Resolved graphs by `formatVersionKey`, for lockfiles without edges. */
  readonly graphs: ReadonlyMap<string, DependencyGraph>;
  readonly policy: Policy;
  /** The paths through lockfiles of which the inventory has only some packages. Absent: it has all of them. */
  readonly pathTo?: PathFinder | undefined;
  /** By purl; versions of which there is nothing to say are absent. */
  readonly inspections?: ReadonlyMap<string, Inspection>;
  /** By purl of a package that went back: the fix that it is earlier than. */
  readonly downgrades?: ReadonlyMap<string, FixedVersion>;
  /** By purl of a package that replaced another version: its licences. */
  readonly formerLicenses?: ReadonlyMap<string, { readonly version: string; readonly text: string }>;
}

/** `judge.ts` adds the package with its locations, the rule's name and level, and its severity where the finding has none. */
export interface RuleFinding
  extends Pick<Finding, 'title' | 'issue' | 'advice' | 'advisory' | 'disputed' | 'suspicion'> {
  /** Part of the fingerprint: tells the findings of one rule about one package apart. Default: empty. */
  readonly key?: string;
  readonly severity?: Severity;
}

/** The text that people read about a rule, in Markdown. `npm run generate` writes its page in `docs/rules/` from it. */
export interface RuleText {
  readonly name: string;
  /** The heading of its findings in code scanning, where they have no advisory. */
  readonly title: string;
  /** Its findings, in one line for tables. */
  readonly description: string;
  /** The meaning of a finding, how sure it is, and what to do. Links lead from `docs/rules/`. */
  readonly help: { readonly means: string; readonly sure: string; readonly todo: string };
}

/** Turns facts into findings. Pure; does not throw when facts are missing. */
export interface Rule extends RuleText {
  /** Whether it reads version records: without the record of its package, a finding can be neither confirmed nor disproved. */
  readonly readsRecords: boolean;
  /** Default; like `severity`, the configuration can override it (`policy.rules`). */
  readonly level: RuleLevel;
  /** The severity of its findings. Absent where each has its own. */
  readonly severity?: RatedSeverity;
  /** How long a finding may stay open as a note before it becomes an alert, in milliseconds. Absent: unlimited. */
  noteLimit?(policy: Policy): number;
  /** False where the facts of a target hold nothing that it reads: no package is then given to it. Absent: it always applies. */
  applies?(facts: RuleFacts): boolean;
  judge(located: LocatedPackage, facts: RuleFacts): readonly RuleFinding[];
  /** Why the package may have further findings, after the words `rule <name>`. Absent, like `undefined`: it has no others. */
  unsure?(located: LocatedPackage): string | undefined;
}
