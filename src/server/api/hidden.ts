import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../../operations/principal.ts';
import { Refusal } from '../../operations/refusal.ts';

/** Longer than it takes to find out that something belongs to others, in ms. */
const HIDDEN_AFTER_MS = 50;

/**
 * Runs an operation. A caller who does not see all targets gets a 404 after a fixed time: what exists and belongs to others takes longer to
 * read than what does not exist. The time begins before the work, so that it does not add to it. `pause`: for tests.
 */
export async function withHidden<Answer>(
  { seesAll }: Pick<Principal, 'seesAll'>,
  work: () => Promise<Answer>,
  pause: () => Promise<unknown> = () => sleep(HIDDEN_AFTER_MS, undefined, { ref: false }),
): Promise<Answer> {
  if (seesAll) return await work();
  const time = pause();
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) await time;
    throw error;
  }
}
