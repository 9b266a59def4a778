import { LRUCache } from 'lru-cache';
import type { PackageCheck } from '../../model/api/lockhound-api.generated.ts';
import type { Target } from '../../model/scan/change.ts';
import { type OperationContext, perContext, requireSeen, unknownTarget, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { checkPackages } from './check-packages.ts';
import { fleetUses } from './fleet-use.ts';
import { turnsOf } from './turns.ts';

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
  const { seesAll, scope, identity: caller } = principal;
  const kept = await keptOf(context);
  const keyOf = (text: string) => JSON.stringify([scope, target.id, body.ecosystem, text]);
  const answer = await checkPackages(body, {
    ...{ gate: await context.gate.open(), target, seesAll, signal, now: Date.now() },
    inTurn: (packages, work) => turnsOf(context)({ caller, packages, signal }, work),
    kept: { get: (text) => kept.get(keyOf(text)), set: (text, found) => void kept.set(keyOf(text), found) },
    usesOf: (packages) => fleetUses(context, principal, packages),
    nearNames: async (asked) =>
      (await Promise.all(seesAll ? context.packages.map((held) => held.near(asked)) : [])).flat(),
  });
  return { ...answer, ...unreadableOf(context, principal) };
};

/** Answers of a server, some 10 MB. A time that ends a cooldown counts that much later. */
const KEPT = { max: 10_000, ttl: 60_000 };
const empty = (state: readonly unknown[]) => ({ state, kept: new LRUCache<string, PackageCheck>(KEPT) });
const answers = perContext(() => empty([]));

/** The answers since the fleet, or what is known of packages, changed: most questions are about the same packages. */
async function keptOf(context: OperationContext): Promise<LRUCache<string, PackageCheck>> {
  const own = answers(context);
  const state = [await context.snapshot({}), ...(await (await context.gate.open()).state())];
  if (state.some((value, index) => value !== own.state[index])) Object.assign(own, empty(state));
  return own.kept;
}
