import type { Policy } from '../../model/scan/policy.ts';
import type { Signal } from '../../model/signal/inspection.ts';
import type { ReleaseFacts } from '../../model/signal/release-facts.ts';
import type { SignalName } from '../../model/signal/signals.ts';

/** What a detector found: a signal without its name. */
export type Trace = Omit<Signal, 'signal'>;

/** Looks for one trace in the facts of a version. Pure; facts that are absent raise nothing. */
export interface Detector {
  readonly signal: SignalName;
  detect(facts: ReleaseFacts, policy: Pick<Policy, 'minimumAge'>): Trace | undefined;
}
