/** Determines how long the first job of a queue has waited where Redis does not say it: since this process saw it there first. */
export function createWaitTimes(now: () => number = Date.now) {
  const seen = new Map<string, { readonly id: string; readonly at: number }>();
  return {
    /** Milliseconds; 0 without a job. `since`: ms since 1970, where it is known. */
    ageOf(
      queue: string,
      oldest: { readonly id: string; readonly since?: number | undefined } | undefined,
    ): number {
      if (oldest === undefined) {
        seen.delete(queue);
        return 0;
      }
      if (seen.get(queue)?.id !== oldest.id) seen.set(queue, { id: oldest.id, at: now() });
      return Math.max(0, now() - (oldest.since ?? seen.get(queue)?.at ?? now()));
    },
  };
}
