import type { ForgottenTarget } from '../../model/api/lockhound-api.generated.ts';
import { releaseIn } from '../../model/fleet/release.ts';
import type { ObjectStorage } from '../../model/ports/object-storage.ts';
import { DIGEST_ENTRY } from '../../model/stored/catalog.ts';
import type { StoreError } from '../errors.ts';
import type { Keys } from '../keys.ts';
import { releaseClaim } from '../outcomes/request-claims.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanFields } from '../redis/scan.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { KEEP_STEPS, UNUSE_STEP } from '../scripts/steps.lua.ts';
import { readTargetState } from '../targets.ts';
import { readValue, reportTo } from '../values/stored-values.ts';
import { bucketOf } from './inventories.ts';
import { headKeys, placeOf, storedBlocks } from './ledger.ts';
import { removeReferred } from './ledger-reference.ts';
import type { TargetSummaries } from './target-summaries.ts';

/** A scan was saved each time between reading the target and removing it. */
export const CHANGED = 'changed';

const ATTEMPTS = 5;

/**
 * Removes all that is stored of a target in one script; of a release, its lockfiles are no longer reserved. `undefined` for a target that is not stored; `changed` when scans of it are
 * saved again and again. The blocks of its ledger in the storage are removed first: throws `storage-away` and removes nothing else when that
 * is not possible. Its deliveries, records of scans and logged changes expire on their own.
 */
export function createTargetRemoval(
  redis: RedisClient,
  keys: Keys,
  summaries: TargetSummaries,
  storage?: ObjectStorage,
) {
  return async (target: string): Promise<ForgottenTarget | undefined | typeof CHANGED> => {
    // What is archived after this is listed as unused by the script, and is removed later.
    const unreadable: string[] = [];
    const report = reportTo(({ message }: StoreError) => void unreadable.push(message));
    const ledger = (await storedBlocks(redis, keys, target).catch(report)) ?? [];
    await removeReferred(ledger, placeOf(keys, target), storage);
    if (releaseIn(target) !== undefined) await redis.del(keys.requestedScan(releaseClaim(target)));
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const removed = await remove(redis, keys, summaries, target);
      if (removed === undefined) return undefined;
      if (removed !== CHANGED) return { ...removed, unreadable: [...unreadable, ...removed.unreadable] };
    }
    return CHANGED;
  };
}

async function remove(
  redis: RedisClient,
  keys: Keys,
  summaries: TargetSummaries,
  target: string,
): Promise<ForgottenTarget | undefined | typeof CHANGED> {
  const unreadable: string[] = [];
  const report = reportTo(({ message }: StoreError) => void unreadable.push(message));
  const [revision, stored] = await redis.hmgetBuffer(keys.target(target), 'revision', 'state');
  const summary = await summaries.read(target).catch(report);
  const state = await readTargetState(keys, target, stored ?? null).catch(report);
  if (stored == null && summary === undefined && unreadable.length === 0) return undefined;
  const lockfiles = state?.lockfiles ?? summary?.lockfiles ?? [];
  const hashes = [...new Set(lockfiles.flatMap(({ inventory }) => inventory ?? []))];
  const digests = await digestEntriesOf(redis, keys, target, report);
  const answer = await runScript(
    redis,
    FORGET_TARGET,
    [
      ...[keys.target(target), keys.targets, keys.incompleteTargets, keys.targetSummaries],
      ...[keys.inventoryUses, keys.touchedTargets, keys.targetDeliveries(target), keys.alertsOfTargets],
      ...[keys.ledger(target), keys.unusedObjects],
      ...hashes.flatMap((hash) => [keys.idLists(bucketOf(hash)), keys.lockfileInventory(hash)]),
      ...digests.map(({ route }) => keys.digest(route)),
      ...headKeys(keys, target),
    ],
    [target, revision ?? '', hashes.length, ...hashes, ...digests.flatMap(({ field }) => field)],
  );
  if (answer === null) return CHANGED;
  const [inventories, digestEntries] = answer as readonly [number, number];
  return { target, lockfiles: lockfiles.length, inventories, digestEntries, unreadable };
}

interface DigestField {
  readonly route: string;
  readonly field: string;
}

/** The entries of a target that wait for periodic digests. */
async function digestEntriesOf(
  redis: RedisClient,
  keys: Keys,
  target: string,
  report: (error: unknown) => undefined,
): Promise<readonly DigestField[]> {
  const found: DigestField[] = [];
  for (const route of await redis.smembers(keys.digestRoutes)) {
    const key = keys.digest(route);
    const remedy = 'Delete the field: its changes are not sent by this route.';
    for await (const [field, stored] of scanFields(redis, key)) {
      const entry = await readValue(DIGEST_ENTRY, stored, { key, field, remedy }).catch(report);
      if (entry?.target.id === target) found.push({ route, field });
    }
  }
  return found;
}

/**
 * Removes a target unless a scan of it was saved since it was read. Returns the numbers of inventories and digest entries that are
 * removed; nil for a target that changed.
 *
 * Keys: state, targets, incomplete targets (sets), summaries, uses of inventories (hashes), targets by their last change (sorted
 * set), its deliveries (list), its open alerts (hash), its ledger (list), unused objects (hash), for each inventory its id lists and itself, for each digest entry its digest, heads of ledgers (hashes). Arguments: target, revision ('' without a state), number of inventories, their hashes,
 * fields of the digest entries.
 */
const FORGET_TARGET = defineScript(`
${KEEP_STEPS}
${UNUSE_STEP}
if (redis.call('HGET', KEYS[1], 'revision') or '') ~= ARGV[2] then
  return false
end
local count = tonumber(ARGV[3])
local inventories = 0
for index = 1, count do
  local hash = ARGV[3 + index]
  if redis.call('HEXISTS', KEYS[5], hash) == 1 then
    drop({KEYS[5], KEYS[9 + 2 * index], KEYS[10 + 2 * index]}, {hash})
    inventories = inventories + 1 - redis.call('HEXISTS', KEYS[5], hash)
  end
end
local entries = 0
for at = 4 + count, #ARGV do
  entries = entries + redis.call('HDEL', KEYS[7 + count + at], ARGV[at])
end
unuse(KEYS[9], 0, -1, KEYS[10])
redis.call('DEL', KEYS[1], KEYS[7], KEYS[9])
redis.call('SREM', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('HDEL', KEYS[8], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1])
for at = 8 + count + #ARGV, #KEYS do
  if isOf(KEYS[at], 'hash') then
    redis.call('HDEL', KEYS[at], ARGV[1])
  end
end
return {inventories, entries}
`);
