import type { Policy } from '../../model/scan/policy.ts';
import type { RatedSeverity } from '../../model/scan/severity.ts';
import type { Signal } from '../../model/signal/inspection.ts';
import type { ReleaseFacts } from '../../model/signal/release-facts.ts';
import type { RuleText } from '../rule.ts';

/** The finding of a detector: a signal without its name. */
export type Trace = Omit<Signal, 'signal'>;

/** Looks for one trace in the facts of a version. Pure; facts that are absent raise nothing. */
export interface Detector extends RuleText {
  /** `off` for what most updates have: a reason of other findings, and one of its own only where `policy.rules` gives it a level. Default: `note`. */
  readonly level?: 'off';
  /** Default: `low`. */
  readonly severity?: RatedSeverity;
  /** Points by grade; `docs/reference/signals.md` has them with their reasons. A signal without points is never part of an incident. */
  readonly points: Readonly<Record<string, number>>;
  /** The facts that decide it, where an inspection may see fewer of them than one before. Others are known as a whole, or not at all. */
  readonly reads?: readonly string[];
  detect(facts: ReleaseFacts, policy: Pick<Policy, 'minimumAge'>): Trace | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `9 hours`, `1 day`, `2 years`. */
export function spanOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  if (days >= 730) return `${Math.floor(days / 365)} years`;
  if (days >= 60) return `${Math.floor(days / 30)} months`;
  if (days >= 2) return `${days} days`;
  if (ms >= 2 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} hours`;
  if (ms >= 2 * MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} minutes`;
  return ms >= MINUTE_MS ? 'a minute' : 'less than a minute';
}

/** `2026-03-31 00:21 UTC`. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `a, b and 3 more`. */
export function listOf(items: readonly string[], limit = 3): string {
  const shown = items.slice(0, limit);
  const rest = items.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
