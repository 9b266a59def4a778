import type { Insights } from '../../model/ports/insights.ts';
import type { Inspections } from '../../model/ports/shared-state.ts';
import type { Policy } from '../../model/scan/policy.ts';
import type { Inspection, ProjectScore } from '../../model/signal/inspection.ts';
import type { Attempts } from '../../scan/attempt.ts';
import { inspectionsByPurl } from '../../scan/known-facts.ts';
import { packagesIn } from '../../scan/read.ts';
import type { Inspect } from '../../scan/scan.ts';
import { inspect } from './inspect.ts';
import { inspectionsOf, scriptsStatedIn } from './new-packages.ts';

export interface InspectionParts {
  /** The inspections of packages. */
  readonly inspections: Inspections;
  readonly policy: Policy;
  readonly insights: Pick<Insights, 'releases'>;
  readonly attempts: Attempts;
}

/** Inspects the packages of scans before they are judged. What one scan inspected is known to the next. */
export function inspectNow({ inspections: known, policy, insights, attempts }: InspectionParts): Inspect {
  const inspections = { ...known, mode: 'before-judging' as const };
  const ports = {
    inspections,
    insights,
    policy: { policy: () => policy, suppressions: async () => [] },
    fleet: { affectedTargets: async () => [] },
  };
  return async (scan, read, resolutions, inventory) => {
    const isFirst = scan.previous === undefined;
    const stated = scriptsStatedIn(read);
    const parts = await inspectionsOf(
      { ...scan, isFirst },
      packagesIn(read),
      resolutions,
      inspections,
      stated,
    );
    for (const part of parts) {
      await attempts((attempt) => inspect(part, ports, { ...attempt, startedAt: scan.startedAt }));
    }
    return await inspectionsByPurl(inventory, inspections);
  };
}

/** Inspections in this process. Nothing is inspected again, because nothing outlives the process. */
export function createMemoryInspections(): Inspections {
  const stored = new Map<string, Inspection>();
  const known = new Set<string>();
  const projects = new Map<string, ProjectScore>();
  return {
    read: async (identities) => identities.map((identity) => stored.get(identity)),
    async store(entries) {
      for (const { identity, inspection } of entries) stored.set(identity, inspection);
    },
    isKnown: async (subjects) => subjects.map((subject) => known.has(subject)),
    async markKnown(subjects) {
      for (const subject of subjects) known.add(subject);
    },
    projects: {
      read: async (ids) => ids.map((id) => projects.get(id)),
      async store(entries) {
        for (const [id, score] of entries) projects.set(id, score);
      },
      ids: async () => [...projects.keys()],
    },
    due: async () => [],
  };
}
