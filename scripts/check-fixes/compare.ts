import type { Plan, Report } from './lockhound.ts';

export interface Comparison {
  /** Whether everything that the plan clears is gone, and every advised version is locked. */
  readonly isAsAdvised: boolean;
  /** What was compared, for people. */
  readonly lines: readonly string[];
}

export interface Compared {
  readonly plan: Plan;
  readonly before: Report;
  readonly after: Report;
  /** The packages that are locked afterwards, as `name@version`. */
  readonly locked: ReadonlySet<string>;
}

/** Compares a lockfile after the advised commands with what the plan says. */
export function compareScans({ plan, before, after, locked }: Compared): Comparison {
  const [known, open] = [issuesIn(before), issuesIn(after)];
  const affected = new Set([...open.values()]);
  const cleared = plan.steps.flatMap(({ clears }) => clears);
  const left = cleared.filter(({ id }) => affected.has(id));
  const changes = plan.steps.flatMap((step) => step.changes);
  const otherwise = changes.filter(({ name, to }) => to !== undefined && !locked.has(`${name}@${to}`));
  // A re-lock selects a version that all dependents permit where one is locked already; it is right when the old one is gone.
  const wrong = otherwise.filter(({ how, name, from }) => how !== 're-lock' || locked.has(`${name}@${from}`));
  const added = [...open.keys()].filter((issue) => !known.has(issue));
  const promised = sum(cleared);
  return {
    isAsAdvised: left.length === 0 && wrong.length === 0,
    lines: [
      `${known.size} findings; the advice clears ${promised} by ${changes.length} changes, ${sum(plan.stays)} stay`,
      `${promised - sum(left)} of ${promised} are gone; ${changes.length - otherwise.length} of ${changes.length} changes are locked as advised`,
      ...left.map(({ id }) => `still affected: ${id}`),
      ...otherwise.map(({ how, name, from, to }) => `locked otherwise: ${how} ${name} ${from} → ${to}`),
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
