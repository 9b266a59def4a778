import { isExcluded } from '../../fleet/compact-lockfile.ts';
import { identityOf } from '../../fleet/identity.ts';
import { chunks } from '../../model/chunks.ts';
import type { TargetLockfile } from '../../model/fleet/target-lockfile.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../../model/scan/inventory.ts';
import { CACHED_VERSION, TARGET_STATE, TARGET_SUMMARY } from '../../model/stored/catalog.ts';
import { bucketOf, createInventories, type PackedInventory } from '../../store/fleet/inventories.ts';
import { createPackageIds } from '../../store/fleet/package-ids.ts';
import type { Keys } from '../../store/keys.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { defineScript, runScript } from '../../store/scripts/run-script.ts';
import { KEEP_STEPS } from '../../store/scripts/steps.lua.ts';
import { readValue, writeLargeValue, writeValue } from '../../store/values/stored-values.ts';
import { createFactCopier } from './copy-facts.ts';
import type { Move } from './shard-sets.ts';

const REMEDY = 'Cancel the move, start the workers and scan the target again.';

/**
 * Copies the states of all targets with their summaries, inventories and facts. Package ids differ from shard to shard, so the
 * inventories are written anew. A target that an interrupted move copied is skipped.
 */
export async function copyTargets(move: Move): Promise<void> {
  const { redis, sources, staged, destination, onProgress } = move;
  const counts = await Promise.all(sources.map(({ targets }) => redis.scard(targets)));
  const total = counts.reduce((sum, one) => sum + one, 0);
  const inventoriesOf = new Map(
    [...sources, ...staged].map((keys) => [
      keys,
      createInventories(redis, keys, createPackageIds(redis, keys)),
    ]),
  );
  let done = 0;
  for (const source of sources) {
    const read = inventoriesOf.get(source)?.read;
    const copyFacts = createFactCopier(redis, source);
    let cursor = '0';
    do {
      const [next, targets] = await redis.sscan(source.targets, cursor, 'COUNT', 100);
      for (const target of targets) {
        const keys = destination(target);
        const pack = inventoriesOf.get(keys)?.pack;
        if (read !== undefined && pack !== undefined && (await redis.exists(keys.target(target))) === 0) {
          await copyTarget(redis, { source, keys, target, read, pack, copyFacts });
        }
        done += 1;
        onProgress('copying targets', done, total);
      }
      cursor = next;
    } while (cursor !== '0');
  }
}

interface TargetCopy {
  readonly source: Keys;
  readonly keys: Keys;
  readonly target: string;
  readonly read: ReturnType<typeof createInventories>['read'];
  readonly pack: ReturnType<typeof createInventories>['pack'];
  readonly copyFacts: ReturnType<typeof createFactCopier>;
}

async function copyTarget(redis: RedisClient, copy: TargetCopy): Promise<void> {
  const { source, keys, target } = copy;
  const [stored, summary, incomplete] = await Promise.all([
    redis.hgetBuffer(source.target(target), 'state'),
    redis.hgetBuffer(source.targetSummaries, target),
    redis.sismember(source.incompleteTargets, target),
  ]);
  if (stored === null) return;
  const place = { key: source.target(target), field: 'state', remedy: REMEDY };
  const state = await readValue(TARGET_STATE, stored, place);
  const packed = new Map<string, PackedInventory>();
  for (const file of state.lockfiles ?? []) {
    if (file.inventory === undefined || packed.has(file.inventory)) continue;
    packed.set(file.inventory, await repack(copy, file, file.inventory));
  }
  const renamed = (inventory: string | undefined) =>
    inventory === undefined ? {} : { inventory: packed.get(inventory)?.hash ?? inventory };
  const lockfiles = state.lockfiles?.map((file) => ({ ...file, ...renamed(file.inventory) }));
  const short =
    summary === null
      ? undefined
      : await readValue(TARGET_SUMMARY, summary, { ...place, key: source.targetSummaries, field: target });
  if (state.dueAt !== undefined) await redis.zadd(keys.dueTargets, Date.parse(state.dueAt), target);
  const inventories = [...new Map([...packed.values()].map((one) => [one.hash, one])).values()];
  await runScript(
    redis,
    COPY_TARGET,
    [
      ...[keys.target(target), keys.targets, keys.incompleteTargets, keys.targetSummaries],
      ...inventories.flatMap(({ hash }) => [
        ...[keys.inventoryUses, keys.idLists(bucketOf(hash)), keys.lockfileInventory(hash)],
      ]),
    ],
    [
      target,
      state.revision,
      await writeLargeValue(TARGET_STATE, { ...state, ...(lockfiles === undefined ? {} : { lockfiles }) }),
      incomplete,
      short === undefined
        ? ''
        : await writeValue(TARGET_SUMMARY, {
            ...short,
            lockfiles: short.lockfiles.map((file) => ({ ...file, ...renamed(file.inventory) })),
          }),
      ...inventories.flatMap(({ hash, ids, rest }) => [hash, ids, rest]),
    ],
  );
}

/** Writes the inventory of a lockfile with the package ids of the other shard, and copies the facts about its packages. */
async function repack(
  { read, pack, copyFacts, keys }: TargetCopy,
  { path, sha256 = '' }: TargetLockfile,
  inventory: string,
): Promise<PackedInventory> {
  const { format, problems, packages } = await read(inventory);
  const resolved = packages.map(({ locked, excluded }): ResolvedPackage => {
    const [outcome, reason] = excluded ?? ['failed', 'its facts are stored by its shard'];
    return { ...locked, resolution: { outcome, reason } } as ResolvedPackage;
  });
  const lookedUp = resolved.filter((one) => !isExcluded(one)).map(identityOf);
  for (const part of chunks([...new Set(lookedUp)], 500)) await copyFacts(keys, CACHED_VERSION, part);
  const file: ResolvedLockfile = { path, sha256, format, problems, packages: resolved };
  return await pack(file);
}

/**
 * Keys: target, targets (set), incomplete targets (set), summaries (hash), then those of the inventories: uses, id lists,
 * inventory. Arguments: target, revision, state, 1 when it is incomplete, summary ('' without), then for each inventory: hash, ids,
 * inventory. A target that exists is not changed.
 */
const COPY_TARGET = defineScript(`
${KEEP_STEPS}
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'state', ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
if ARGV[4] == '1' then
  redis.call('SADD', KEYS[3], ARGV[1])
end
if ARGV[5] ~= '' then
  redis.call('HSET', KEYS[4], ARGV[1], ARGV[5])
end
local key, at = 5, 6
while at <= #ARGV do
  keep({KEYS[key], KEYS[key + 1], KEYS[key + 2]}, {ARGV[at], ARGV[at + 1], ARGV[at + 2]})
  key, at = key + 3, at + 3
end
return 1
`);
