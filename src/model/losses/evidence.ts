import type { Compared, Group } from './statements.ts';

/** Number of subjects that may lose a statement at once because of honest corrections, such as a withdrawn advisory. */
const HANDFUL = 5;
/** A loss is believed when this many times as many subjects keep what they state. */
const KEPT_FOR_EACH = 9;

/** Numbers of known statements that answers kept and lost, by group. */
export interface Tally {
  /** Numbers of records that still state it. */
  readonly kept: Map<Group, number>;
  /** Subjects that no longer do, each once: one advisory may concern many versions. */
  readonly lost: Map<Group, Set<string>>;
}

export function createTally(kept: Readonly<Record<Group, number>> = {}): Tally {
  return { kept: new Map(Object.entries(kept)), lost: new Map() };
}

export function addTo({ kept, lost }: Tally, compared: Pick<Compared<unknown>, 'kept' | 'lost'>): void {
  for (const group of compared.kept) kept.set(group, (kept.get(group) ?? 0) + 1);
  for (const { group, subject } of compared.lost) {
    lost.set(group, (lost.get(group) ?? new Set<string>()).add(subject));
  }
}

/**
 * Whether what was kept proves that a loss is a correction and not a loss of data. Half of a few subjects prove nothing: an index that
 * lost half of its data answers in the same way.
 */
export function isProven(tally: Tally, group: Group): boolean {
  return KEPT_FOR_EACH * (tally.lost.get(group)?.size ?? 0) <= (tally.kept.get(group) ?? 0);
}

/** Whether a single subject lost what others still state. It is believed of an index that has no witnesses. */
export function isSingle({ kept, lost }: Tally, group: Group): boolean {
  const name = group.slice(group.indexOf(' '));
  return lost.get(group)?.size === 1 && [...kept.keys()].some((other) => other.endsWith(name));
}

/** Whether so few subjects lost a statement that a few witnesses prove a correction. */
export function isHandful({ lost }: Tally, group: Group): boolean {
  return (lost.get(group)?.size ?? 0) <= HANDFUL;
}

/** Losses that are not proven. */
export interface DataLoss {
  /** Subjects that lost a statement, and those that were compared. */
  readonly lost: number;
  readonly compared: number;
  /** The lost groups, such as `NPM advisories`. */
  readonly of: readonly Group[];
  /** Who says that they are corrections, since when (RFC 3339). The next refresh of everything believes as many. */
  readonly accepted?: { readonly by: string; readonly at: string };
}

/** One sentence about a loss. */
export function lossText({ lost, compared, of, accepted }: DataLoss): string {
  const what = `it no longer states ${lost} of ${compared} facts (${of.join(', ')})`;
  if (accepted === undefined) return `the service seems to have lost its data: ${what}`;
  return `${what}; ${accepted.by} accepted this at ${accepted.at}, and the next refresh of everything believes it`;
}

/** The groups of a loss that a person accepted, when not more was lost since then. */
export function acceptedGroups({ lost }: Tally, accepted: DataLoss | undefined): readonly Group[] {
  if (accepted?.accepted === undefined) return [];
  const groups = (accepted.of ?? []).filter((group) => lost.has(group));
  const count = groups.reduce((sum, group) => sum + (lost.get(group)?.size ?? 0), 0);
  return count <= accepted.lost ? groups : [];
}

/** The losses of groups that are not proven; `undefined` when there are none. */
export function dataLossOf(tally: Tally, proven: ReadonlySet<Group>): DataLoss | undefined {
  const of = [...tally.lost.keys()].filter((group) => !proven.has(group));
  if (of.length === 0) return undefined;
  const lost = of.reduce((sum, group) => sum + (tally.lost.get(group)?.size ?? 0), 0);
  const kept = of.reduce((sum, group) => sum + (tally.kept.get(group) ?? 0), 0);
  return { lost, compared: lost + kept, of };
}
