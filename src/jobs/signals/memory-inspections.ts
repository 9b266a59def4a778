import type { Inspections } from '../../model/ports/inspections.ts';
import type { Inspection } from '../../model/signal/inspection.ts';
import type { ProjectScore } from '../../model/signal/project-score.ts';

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
