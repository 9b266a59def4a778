import { CHANGED } from '../../store/fleet/forget-target.ts';
import { requireSeen, unknownTarget } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';

/** Removes all that is stored of a target. */
export const forgetTarget: Operation<'lockhound.targets.forget'> = async ({ params, principal }, context) => {
  const { target } = params;
  await requireSeen(context, principal, target);
  const removed = await context.fleet.of(target).forgetTarget(target);
  if (removed === undefined) throw await unknownTarget(context, principal, target);
  if (removed === CHANGED) {
    const detail = `target ${target} was not removed: scans of it are saved all the time. Stop its producer or schedule, and try again`;
    throw new Refusal(409, 'changed-meanwhile', detail);
  }
  // The caller's next read does not show it.
  await context.follow();
  return removed;
};
