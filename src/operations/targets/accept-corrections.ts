import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';

/** Has the next refresh believe what the last one doubted. */
export const acceptCorrections: Operation<'lockhound.targets.acceptCorrections'> = async (
  { params: { author }, principal },
  { fleet },
) => {
  requireWholeFleet(principal);
  const at = new Date().toISOString();
  const losses = await Promise.all(fleet.shards.map((store) => store.fleet.acceptLoss(author, at)));
  const accepted = losses.filter((loss) => loss !== undefined);
  if (accepted.length > 0) return { accepted };
  throw new Refusal(409, 'nothing-lost', 'the last refresh doubts nothing: see `lockhound health`');
};
