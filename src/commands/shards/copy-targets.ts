import type { ChainableCommander } from 'ioredis';
import { namedIds, withOtherIds } from '../../fleet/ledger/ledger-entries.ts';
import type { TargetLockfile } from '../../model/fleet/target-summary.ts';
import type { ResolvedPackage } from '../../model/scan/inventory.ts';
import { CACHED_ADVISORY, CACHED_VERSION, TARGET_STATE, TARGET_SUMMARY } from '../../model/stored/catalog.ts';
import type { Inventories, PackedInventory } from '../../store/fleet/inventories.ts';
import { bucketOf, createInventories } from '../../store/fleet/inventories.ts';
import { createLedger, placeOf, writeLedger } from '../../store/fleet/ledger.ts';
import { isReference, readReference } from '../../store/fleet/ledger-reference.ts';
import { createPackageIds, type PackageIds } from '../../store/fleet/package-ids.ts';
import type { Keys } from '../../store/keys.ts';
import { readValue, writeLargeValue, writeValue } from '../../store/values/stored-values.ts';
import { copyEntries, type Move } from './move.ts';

const REMEDY =
  'Cancel the move: run `lockhound shards move` with the old number. Then start the workers and scan the target again.';

/**
 * Copies the states of all targets with their summaries, inventories and facts. Package ids differ from shard to shard, so the
 * inventories are written anew.
 */
export async function copyTargets(move: Move): Promise<void> {
  const { redis, sources, destinations, destination } = move;
  const inventories = new Map(
    [...sources, ...destinations].map((keys) => {
      const ids = createPackageIds(redis, keys);
      return [keys, { ...createInventories(redis, keys, ids), ids }] as const;
    }),
  );
  const inventoriesOf = (keys: Keys): ShardInventories => inventories.get(keys) as ShardInventories;
  for (const source of sources) {
    for (const target of await redis.smembers(source.targets)) {
      move.signal.throwIfAborted();
      const keys = destination(target);
      await copyTarget(move, { source, keys, target, from: inventoriesOf(source), to: inventoriesOf(keys) });
    }
  }
  for (const { kind } of [CACHED_VERSION, CACHED_ADVISORY]) await copyFacts(move, kind);
}

type ShardInventories = Inventories & { readonly ids: PackageIds };

interface TargetCopy {
  readonly target: string;
  readonly source: Keys;
  readonly keys: Keys;
  readonly from: ShardInventories;
  readonly to: ShardInventories;
}

async function copyTarget(
  { redis, storage }: Move,
  { target, source, keys, from, to }: TargetCopy,
): Promise<void> {
  const [stored, ledger, summary] = await Promise.all([
    redis.hgetBuffer(source.target(target), 'state'),
    redis.hget(source.target(target), 'ledger'),
    redis.hgetBuffer(source.targetSummaries, target),
  ]);
  if (stored === null) return;
  const place = { key: source.target(target), field: 'state', remedy: REMEDY };
  const state = await readValue(TARGET_STATE, stored, place);
  const packed = new Map<string | undefined, PackedInventory>();
  for (const file of state.lockfiles ?? []) {
    const { inventory } = file;
    if (inventory !== undefined) packed.set(inventory, await repack(file, inventory, from, to));
  }
  const renamed = <File extends { readonly inventory?: string }>(files: readonly File[]): readonly File[] =>
    files.map((file) => {
      const inventory = packed.get(file.inventory)?.hash;
      return inventory === undefined ? file : { ...file, inventory };
    });
  const lockfiles = state.lockfiles && renamed(state.lockfiles);
  const written = await writeLargeValue(TARGET_STATE, { ...state, ...(lockfiles && { lockfiles }) });
  const step = redis.multi().hset(keys.target(target), { revision: state.revision, state: written });
  if (summary !== null) {
    const ofSummary = { key: source.targetSummaries, field: target, remedy: REMEDY };
    const short = await readValue(TARGET_SUMMARY, summary, ofSummary);
    const text = await writeValue(TARGET_SUMMARY, { ...short, lockfiles: renamed(short.lockfiles) });
    step.hset(keys.targetSummaries, target, text);
  }
  for (const { hash, ids, rest } of new Map([...packed.values()].map((one) => [one.hash, one])).values()) {
    step.hincrby(keys.inventoryUses, hash, 1);
    step.hset(keys.idLists(bucketOf(hash)), hash, ids).set(keys.lockfileInventory(hash), rest);
  }
  if (ledger !== null) {
    step.hset(keys.target(target), { ledger });
    await copyLedger({ redis, storage }, step, { target, source, keys, from, to });
  }
  await step.exec();
}

/** The inventory of a lockfile with the package ids of the other shard. */
async function repack(
  { path, sha256 = '' }: TargetLockfile,
  inventory: string,
  from: Inventories,
  to: Inventories,
): Promise<PackedInventory> {
  const { format, problems, packages } = await from.read(inventory);
  const resolved = packages.map(({ locked, excluded }): ResolvedPackage => {
    // An inventory has no resolutions of packages that are looked up: these are facts.
    const [outcome, reason] = excluded ?? ['failed', ''];
    return { ...locked, resolution: { outcome, reason } } as ResolvedPackage;
  });
  return await to.pack({ path, sha256, format, problems, packages: resolved });
}

/**
 * Copies facts, those about versions to the shards that hold them. Of several shards, the last answer stays; where it differs from
 * another one, it counts as a change, so that no scan that has begun undoes it.
 */
async function copyFacts(move: Move, kind: string): Promise<void> {
  const { redis, destinations } = move;
  const holders = async (name: string): Promise<readonly Keys[]> => {
    if (kind === CACHED_ADVISORY.kind) return destinations;
    const held = await Promise.all(destinations.map(({ packageIds }) => redis.hexists(packageIds, name)));
    return destinations.filter((_, index) => held[index] === 1);
  };
  await copyEntries(
    move,
    (keys) => keys.facts(kind).facts,
    async (_, name, text, source) => {
      const at = (await redis.zscore(source.facts(kind).answered, name)) ?? '0';
      const newer: Keys[] = [];
      for (const keys of await holders(name)) {
        const { facts, answered, changed } = keys.facts(kind);
        const [known, knownAt] = [await redis.hgetBuffer(facts, name), await redis.zscore(answered, name)];
        if (known?.equals(text) === false) await redis.zadd(changed, 'GT', Date.now(), name);
        if (known !== null && Number(knownAt) >= Number(at)) continue;
        await redis.zadd(answered, at, name);
        newer.push(keys);
      }
      return newer;
    },
  );
  for (const list of ['changed', 'young', 'unanswered', 'inspections', 'inspectedAgain'] as const) {
    await copyEntries(
      move,
      (keys) => keys.facts(kind)[list],
      (_, name) => holders(name),
    );
  }
}

/**
 * Adds the ledger of a target to what is written, with the package ids of the other shard. Its blocks are in Redis then, and the objects that
 * had them are not used any more. Throws `state-corrupt` and `storage-away`.
 */
async function copyLedger(
  { redis, storage }: Pick<Move, 'redis' | 'storage'>,
  step: ChainableCommander,
  { target, source, keys, from, to }: TargetCopy,
): Promise<void> {
  const entries = await createLedger(redis, source, storage).read(target, (error) => {
    throw error;
  });
  const stored = await redis.lrangeBuffer(source.ledger(target), 0, -1);
  const place = placeOf(source, target);
  for (const one of stored.filter(isReference))
    step.hset(keys.unusedObjects, (await readReference(one, place)).object, 0);
  const ids = [...namedIds(entries)];
  const identities = await from.ids.identities(ids);
  const known = ids.flatMap((id, index) => {
    const identity = identities[index];
    return identity === undefined ? [] : [[id, identity] as const];
  });
  const given = await to.ids.intern(known.map(([, identity]) => identity));
  const others = new Map(known.map(([id], index) => [id, given[index] as number]));
  const { blocks, heads } = await writeLedger(keys, target, withOtherIds(entries, others));
  for (const block of blocks) step.rpush(keys.ledger(target), block);
  for (const [key, part] of heads) step.hset(key, target, part);
}
