import type { Plan, Report } from './lockhound.ts';

/** What the advice of a plan came to. */
export interface Outcome {
  readonly findings: number;
  /** Findings that the plan says it clears. */
  readonly claimed: number;
  /** Those of them that a scan no longer has. */
  readonly gone: number;
  /** What is not as advised, and what stays, for people. */
  readonly notes: readonly string[];
}

export interface Compared {
  readonly plan: Plan;
  readonly before: Report;
  readonly after: Report;
}

/** Compares a lockfile after the advised commands with what the plan says. */
export function compareScans({ plan, before, after }: Compared): Outcome {
  const [known, open] = [issuesIn(before), issuesIn(after)];
  const affected = new Set(open.values());
  const cleared = plan.steps.flatMap(({ clears }) => clears);
  const left = cleared.filter(({ id }) => affected.has(id));
  const added = [...open.keys()].filter((issue) => !known.has(issue));
  const claimed = sum(cleared);
  return {
    findings: known.size,
    claimed,
    gone: claimed - sum(left),
    notes: [
      ...left.map(({ id }) => `still affected: ${id}`),
      ...added.map((issue) => `new: ${issue}`),
      ...plan.stays.map(({ id, kind, reason }) => `stays: ${id}: ${kind}: ${reason}`),
      ...before.unadvised.map(({ id, reason }) => `without advice: ${id}: ${reason}`),
    ],
  };
}

/** Ids of the affected packages, by package and advisory. */
function issuesIn({ findings }: Report): ReadonlyMap<string, string> {
  return new Map(
    findings.flatMap(({ package: { name, version }, advisory }) =>
      advisory === undefined ? [] : [[`${name}@${version} ${advisory.id}`, `${name}@${version}`] as const],
    ),
  );
}

function sum(counted: readonly { readonly findings: number }[]): number {
  return counted.reduce((total, { findings }) => total + findings, 0);
}
