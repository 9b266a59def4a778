import { requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';

/** The newest rejected payloads, with the number of all. */
export const list: Operation<'lockhound.rejected.list'> = async (
  { params: { limit }, principal },
  { fleet: { shards } },
) => {
  requireWholeFleet(principal);
  const lists = await Promise.all(shards.map(({ rejected }) => rejected.list(limit)));
  const counts = await Promise.all(shards.map(({ rejected }) => rejected.count()));
  const all = lists.flat().sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
  return { rejected: all.slice(0, limit), total: counts.reduce((sum, count) => sum + count, 0) };
};
