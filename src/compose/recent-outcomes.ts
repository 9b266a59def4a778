import type { OutcomePort } from '../jobs/ports.ts';

/** Jobs whose results are read once for each alert that follows from them. */
const READ_OFTEN: ReadonlySet<string> = new Set(['judge-scan', 'check-contract', 'gather-digest']);
const KEPT = 4;

/**
 * Remembers the verdicts read last. A thousand changes that go out one by one all read the same one, and to take it apart a
 * thousand times is what would bound them. An outcome never changes; one that is not there yet is not remembered.
 */
export function recentOutcomes(read: OutcomePort['read']): OutcomePort {
  const recent = new Map<string, Promise<unknown>>();
  return {
    async read(job, key) {
      if (!READ_OFTEN.has(job)) return read(job, key);
      const id = `${job}/${key}`;
      const result = recent.get(id) ?? read(job, key);
      recent.delete(id);
      recent.set(id, result);
      const [oldest] = recent.keys();
      if (recent.size > KEPT && oldest !== undefined) recent.delete(oldest);
      const forget = (): void => {
        if (recent.get(id) === result) recent.delete(id);
      };
      try {
        const value = await result;
        if (value === undefined) forget();
        return value;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
