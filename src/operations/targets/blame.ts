import type { HeldPackages } from '../../fleet/view/held-packages.ts';
import { requireSeen, unknownTarget, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { lockfilesHolding, requireReadable, selectPackages } from '../packages/holders.ts';
import { readLedger } from '../packages/periods.ts';
import { readPackageQuery } from '../packages/query.ts';

/** Which scan and commit brought a package to a target. */
export const blame: Operation<'lockhound.targets.blame'> = async ({ params, principal }, context) => {
  const { target, ecosystem } = params;
  await requireSeen(context, principal, target);
  const query = readPackageQuery(params.package, { ecosystem });
  requireReadable(query);
  const { fleet } = context;
  const store = fleet.of(target);
  const state = await store.targets.read(target);
  if (state === undefined) throw await unknownTarget(context, principal, target);
  const notCompared = new Set<string>();
  const held = context.packages[fleet.shards.indexOf(store)] as HeldPackages;
  const selected = { store, byId: await selectPackages(held, query, notCompared) };
  const lockfiles = await lockfilesHolding(fleet, state.lockfiles ?? [], selected);
  const holder = { target, labels: {}, requestedAt: state.requestedAt, lockfiles, selected };
  const { unread, shown } = await readLedger(context, holder);
  return {
    target,
    periods: (await shown()).toReversed(),
    notCompared: [...notCompared].sort(),
    ...(unread === 0 ? {} : { notKnown: unread }),
    ...unreadableOf(context, principal),
  };
};
