import type { Plan, Step } from './plan.ts';

/**
 * Finds a short plan that fails like a long one: steps are left out in parts that become smaller, as long as the rest still fails.
 * `fails` runs a plan. Makes at most `limit` runs.
 */
export async function shrink(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  limit = 200,
): Promise<Plan> {
  let shortest = plan;
  let runs = 0;
  const tries = async (candidate: Plan): Promise<boolean> => {
    runs += 1;
    if (!(await fails(candidate))) return false;
    shortest = candidate;
    return true;
  };
  for (let rounds = 1; rounds < plan.rounds && runs < limit; rounds += 1) {
    const steps = shortest.steps.filter(({ round }) => round < rounds);
    if (await tries({ ...shortest, rounds, steps })) break;
  }
  for (let size = Math.ceil(shortest.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.steps.length && runs < limit; ) {
      const steps: readonly Step[] = [...shortest.steps.slice(0, at), ...shortest.steps.slice(at + size)];
      if (!(await tries({ ...shortest, steps }))) at += size;
    }
  }
  for (let workers = 1; workers < shortest.workers && runs < limit; workers += 1) {
    const steps = shortest.steps.filter((step) => !('worker' in step) || (step.worker ?? 0) < workers);
    if (await tries({ ...shortest, workers, steps })) break;
  }
  return shortest;
}
