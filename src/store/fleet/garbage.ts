import { partsOf } from '../../fleet/compact-lockfile.ts';
import { createIdSet, type IdSet, visitIds } from '../../fleet/id-list.ts';
import { CACHED_VERSION } from '../../model/stored/catalog.ts';
import { createYielder } from '../../model/yielding.ts';
import type { FactStore } from '../facts/facts.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import type { Inventories } from './inventories.ts';
import type { Ledger } from './ledger.ts';
import type { createOpenAlerts } from './open-alerts.ts';
import type { PackageIds } from './package-ids.ts';
import { advisoryIdsOf } from './versions-naming.ts';

/** The numbers of removed values that nothing needs. */
export interface CollectedGarbage {
  /** Package versions that no inventory holds. */
  readonly packageIds: number;
  /** Facts of versions that no target holds, and of advisories that no version names. */
  readonly versions: number;
  readonly advisories: number;
}

export interface GarbageParts {
  readonly packageIds: PackageIds;
  readonly inventories: Inventories;
  readonly ledger?: Pick<Ledger, 'heads'>;
  readonly openAlerts?: Pick<ReturnType<typeof createOpenAlerts>, 'forgetUnused'>;
  readonly facts: {
    readonly versions: Pick<FactStore<object>, 'scan' | 'answeredBefore' | 'forgetTimes'>;
    readonly advisories: Pick<FactStore<object>, 'keys' | 'forget'>;
  };
  /** How long a scan uses a fact without asking the service, in ms. */
  readonly recordTtlMs: number;
  readonly now?: () => number;
}

/** A fact that a scan uses belongs to an inventory within this time. */
const IDLE_MS = 24 * 3_600_000;
/**
 * Ids are removed for this long after the pass over the inventories. An id that an inventory gets later was interned in the 35
 * minutes before, and one that was interned in the last hour stays.
 */
const PASS_VALID_MS = 10 * 60_000;

/**
 * Removes what no target needs. Safe while scans run: ids and facts are checked again by the scripts that remove them. What a run does
 * not reach, the next one removes.
 */
export function createGarbageCollection(redis: RedisClient, keys: Keys, parts: GarbageParts) {
  const { packageIds, facts, recordTtlMs, now = Date.now } = parts;
  return async (): Promise<CollectedGarbage> => {
    const until = now() + PASS_VALID_MS;
    const before = await redis.hlen(keys.packageNames);
    const used = await usedIds(parts.inventories, parts.ledger);
    for await (const part of packageIds.scan()) {
      if (now() > until) break;
      await packageIds.forget(part.flatMap(([id]) => (used.has(id) ? [] : [id])));
    }
    const listed = await facts.advisories.keys();
    const answeredBefore = now() - IDLE_MS - recordTtlMs;
    const { removed, named } = await passOverVersions(redis, keys, facts.versions, answeredBefore);
    // What was never answered has no fact.
    const old = (await facts.versions.answeredBefore(answeredBefore)).map(({ key }) => key);
    const held = await packageIds.find(old);
    await facts.versions.forgetTimes(old.filter((key) => !held.has(key)));
    const unnamed = listed.filter((id) => !named.has(id));
    await facts.advisories.forget(unnamed);
    await parts.openAlerts?.forgetUnused();
    return {
      packageIds: Math.max(0, before - (await redis.hlen(keys.packageNames))),
      versions: removed,
      advisories: unnamed.length,
    };
  };
}

/**
 * The ids in all inventories and ledgers. Throws `RangeError` for a damaged list: its ids must not be taken for unused. A package that goes
 * from an inventory to a ledger meanwhile is in the second pass.
 */
async function usedIds(inventories: Inventories, ledger: GarbageParts['ledger']): Promise<IdSet> {
  const used = createIdSet();
  const yieldIfDue = createYielder();
  for await (const lists of inventories.idLists()) {
    for (const encoded of lists.values()) {
      const { lookedUp, excluded } = partsOf(encoded);
      visitIds(lookedUp, used.add);
      visitIds(excluded, used.add);
      await yieldIfDue();
    }
  }
  for await (const { heads, idOf } of ledger?.heads() ?? []) {
    for (const { ids } of heads.values()) visitIds(ids, (id) => used.add(idOf(id)));
    await yieldIfDue();
  }
  return used;
}

/** Removes facts of versions without an id; returns their number, and the advisories that versions name. */
async function passOverVersions(
  redis: RedisClient,
  keys: Keys,
  versions: Pick<FactStore<object>, 'scan'>,
  answeredBefore: number,
): Promise<{ readonly removed: number; readonly named: ReadonlySet<unknown> }> {
  const { facts, answered, changed, pending, young, inspectedAgain, inspections, revision } = keys.facts(
    CACHED_VERSION.kind,
  );
  const named = new Set<unknown>();
  const yieldIfDue = createYielder();
  let removed = 0;
  for await (const part of versions.scan()) {
    if (part.length === 0) continue;
    for (const [, text] of part) for (const id of advisoryIdsOf(text)) named.add(id);
    const names = part.map(([identity]) => identity);
    const sets = [changed, pending, young, inspectedAgain];
    const touched = [keys.packageIds, facts, answered, ...sets, inspections, revision];
    removed += (await runScript(redis, FORGET_FACTS, touched, [answeredBefore, ...names])) as number;
    await yieldIfDue();
  }
  return { removed, named };
}

/**
 * Removes facts of identities that have no id and that the service answered before a time.
 *
 * Keys: ids by identity, facts (hashes), times of the last answers, changed, pending, young, inspected again (sorted sets), inspections
 * (hash), revision of the facts. Arguments: time in ms, then the identities. Returns the number of facts.
 */
const FORGET_FACTS = defineScript(`
local removed = 0
for at = 2, #ARGV do
  local identity = ARGV[at]
  local answered = tonumber(redis.call('ZSCORE', KEYS[3], identity) or '0')
  if answered < tonumber(ARGV[1]) and redis.call('HEXISTS', KEYS[1], identity) == 0 then
    removed = removed + redis.call('HDEL', KEYS[2], identity)
    for index = 3, 7 do
      redis.call('ZREM', KEYS[index], identity)
    end
    redis.call('HDEL', KEYS[8], identity)
  end
end
if removed > 0 then
  local clock = redis.call('TIME')
  redis.call('SET', KEYS[9], clock[1] .. '.' .. clock[2])
end
return removed
`);
