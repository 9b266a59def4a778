import type { StoredSuppression } from '../../model/scan/suppression.ts';
import { firstShard, notFound, requireWholeFleet } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';
import { authorOf, shownSuppression } from './suppressions.ts';

/** Ends a suppression. It stays stored, as the record of who ended it. */
export const remove: Operation<'lockhound.suppressions.remove'> = async (
  { params: { suppression: id, reason, author }, principal },
  { fleet },
) => {
  requireWholeFleet(principal);
  const { suppressions } = firstShard(fleet);
  const removed = {
    at: new Date().toISOString(),
    author: authorOf(principal, author),
    ...(reason === undefined ? {} : { reason }),
  };
  const changed = { ...effective(await suppressions.list(), id), removed };
  await suppressions.put([changed]);
  return shownSuppression(changed, { findings: 0, expired: false });
};

/** A suppression that was added and not removed. Throws `Refusal`. */
function effective(all: readonly StoredSuppression[], id: string): StoredSuppression {
  const name = /^(?:ignore|vex) /.test(id) ? id : `ignore ${id}`;
  const found = all.find(({ suppression }) => suppression.id === name);
  if (found === undefined) throw notFound(`there is no suppression ${id}: see \`lockhound ignore\``);
  if (found.removed === undefined) return found;
  const { at, author } = found.removed;
  throw new Refusal(409, 'removed', `${id} was removed at ${at} by ${author}`);
}
