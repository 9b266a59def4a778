import type { ForgottenTarget } from '../../model/api/lockhound-api.generated.ts';
import { releaseIn } from '../../model/fleet/release.ts';
import { StoreError } from '../../store/errors.ts';
import { CHANGED } from '../../store/fleet/forget-target.ts';
import { type OperationContext, requireSeen, unknownTarget } from '../context.ts';
import type { Operation } from '../operation.ts';
import { Refusal } from '../refusal.ts';

/** Removes all that is stored of a target and its releases. The target is removed last, so that an interrupted removal can be repeated. */
export const forgetTarget: Operation<'lockhound.targets.forget'> = async ({ params, principal }, context) => {
  const { target } = params;
  await requireSeen(context, principal, target);
  const releases: ForgottenTarget[] = [];
  for (const id of await context.fleet.of(target).fleet.allTargets())
    if (releaseIn(id)?.target === target) releases.push(...(await forget(context, id)));
  const removed = [...(await forget(context, target)), ...releases];
  if (removed.length === 0) throw await unknownTarget(context, principal, target);
  // The caller's next read does not show it.
  await context.follow();
  const sum = (of: 'lockfiles' | 'inventories' | 'digestEntries') =>
    removed.reduce((total, one) => total + one[of], 0);
  return {
    target,
    lockfiles: sum('lockfiles'),
    inventories: sum('inventories'),
    digestEntries: sum('digestEntries'),
    ...(releases.length === 0 ? {} : { releases: releases.length }),
    unreadable: removed.flatMap(({ unreadable }) => unreadable),
  };
};

/** Forgets a target; `undefined` for one that is not stored. Throws `Refusal` (`changed-meanwhile`, `storage-away`). */
async function forget({ fleet }: OperationContext, target: string): Promise<readonly ForgottenTarget[]> {
  const removed = await fleet
    .of(target)
    .forgetTarget(target)
    .catch((cause) => {
      if (!(cause instanceof StoreError) || cause.code !== 'storage-away') throw cause;
      throw new Refusal(503, cause.code, `target ${target} was not removed: ${cause.message}`, { cause });
    });
  if (removed !== CHANGED) return removed === undefined ? [] : [removed];
  const detail = `target ${target} was not removed: scans of it are saved all the time. Stop its producer or schedule, and try again`;
  throw new Refusal(409, 'changed-meanwhile', detail);
}
