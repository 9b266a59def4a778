import type { FixStep } from '../model/advice/fix-plan.ts';
import type { Finding } from '../model/scan/finding.ts';

/** The parts of a finding that are compared. */
export type ComparedFinding = {
  readonly package: Pick<Finding['package'], 'name' | 'version'>;
  readonly advisory?: { readonly id: string } | undefined;
};

/** How the findings of a lockfile after the commands of a plan differ from what the plan says. */
export interface PlanOutcome {
  readonly findings: number;
  /** Findings that the steps say they clear. */
  readonly claimed: number;
  /** The number of findings that the later scan does not have, neither of the same nor of another version. */
  readonly gone: number;
  /** Findings about what no version of the package was affected by before. */
  readonly added: number;
  /** Texts for people about what is not as advised. */
  readonly notes: readonly string[];
}

interface Issue {
  readonly id: string;
  /** The package without its version, and the advisory. */
  readonly about: string;
}

/** Compares the findings of a lockfile before and after the commands of steps with what the steps say. */
export function compareWithPlan(
  steps: readonly Pick<FixStep, 'clears'>[],
  before: readonly ComparedFinding[],
  after: readonly ComparedFinding[],
): PlanOutcome {
  const [known, open] = [issuesIn(before), issuesIn(after)];
  const others = new Map([...open].filter(([key]) => !known.has(key)));
  const othersAbout = new Set([...others.values()].map(({ about }) => about));
  const knownAbout = new Set([...known.values()].map(({ about }) => about));
  const added = [...others].filter(([, { about }]) => !knownAbout.has(about));
  const affected = new Set([...open.values()].map(({ id }) => id));
  const cleared = steps.flatMap(({ clears }) => clears);
  const left = cleared.filter(({ id }) => {
    return affected.has(id) || [...known.values()].some((one) => one.id === id && othersAbout.has(one.about));
  });
  const claimed = sum(cleared);
  return {
    findings: known.size,
    claimed,
    gone: claimed - sum(left),
    added: added.length,
    notes: [...left.map(({ id }) => `still affected: ${id}`), ...added.map(([issue]) => `new: ${issue}`)],
  };
}

/** By package and advisory. */
function issuesIn(findings: readonly ComparedFinding[]): ReadonlyMap<string, Issue> {
  return new Map(
    findings.flatMap(({ package: { name, version }, advisory }) => {
      if (advisory === undefined) return [];
      const issue = { id: `${name}@${version}`, about: `${name} ${advisory.id}` };
      return [[`${issue.id} ${advisory.id}`, issue] as const];
    }),
  );
}

function sum(counted: readonly { readonly findings: number }[]): number {
  return counted.reduce((total, { findings }) => total + findings, 0);
}
