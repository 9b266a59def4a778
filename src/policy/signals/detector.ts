import type { Policy } from '../../model/scan/policy.ts';
import type { RatedSeverity } from '../../model/scan/severity.ts';
import type { Signal } from '../../model/signal/inspection.ts';
import type { ReleaseFacts } from '../../model/signal/release-facts.ts';
import type { RuleText } from '../rule.ts';

/** What a detector found: a signal without its name. */
export type Trace = Omit<Signal, 'signal'>;

/** Looks for one trace in the facts of a version. Pure; facts that are absent raise nothing. */
export interface Detector extends RuleText {
  /** `off` for what most updates have: a reason of other findings, and one of its own only where `policy.rules` gives it a level. Default: `note`. */
  readonly level?: 'off';
  /** Default: `low`. */
  readonly severity?: RatedSeverity;
  /** Points by grade; `docs/signals.md` has the same table with the reasons. A signal without points is never part of an incident. */
  readonly points: Readonly<Record<string, number>>;
  /** The facts that decide it, where an inspection may see fewer of them than one before. Others are known as a whole, or not at all. */
  readonly reads?: readonly string[];
  detect(facts: ReleaseFacts, policy: Pick<Policy, 'minimumAge'>): Trace | undefined;
}
