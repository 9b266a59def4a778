import type { Target } from '../../model/scan/change.ts';
import { requireSeen, unknownTarget, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { checkPackages } from './check-packages.ts';
import { fleetUses } from './fleet-use.ts';

/** May packages be added to a target of the fleet, by what is stored and by what the service answers. */
export const check: Operation<'lockhound.packages.check'> = async ({ body, principal, signal }, context) => {
  const { target: id } = body;
  let target: Target = { id: '', labels: {} };
  if (id !== undefined) {
    await requireSeen(context, principal, id);
    const found = (await context.snapshot({ target: id })).targets.get(id);
    if (found === undefined) throw await unknownTarget(context, principal, id);
    target = { id, labels: found.labels };
  }
  const { seesAll } = principal;
  const answer = await checkPackages(body, {
    ...{ gate: await context.gate.open(), target, seesAll, signal, now: Date.now() },
    usesOf: (packages) => fleetUses(context, principal, packages),
    nearNames: async (asked) =>
      (await Promise.all(seesAll ? context.packages.map((held) => held.near(asked)) : [])).flat(),
  });
  return { ...answer, ...unreadableOf(context, principal) };
};
