import { hash } from 'node:crypto';
import { HASH_DIGITS } from '../../model/scan/scan-id.ts';
import { type ChangeLogEntry, createChangeLog } from '../../store/fleet/change-log.ts';
import { packLog } from '../../store/fleet/target-lockfiles.ts';
import type { Keys } from '../../store/keys.ts';
import { copyEntries, copyKey, type Move, namesIn, scanKeys } from './move.ts';
import { digestPlace, PLACES } from './places.ts';

const CHUNK = 200;
/** The hash of a target in the id of a scan (`scanIdOf`). */
const HASH_IN_KEY = /\.([0-9a-f]{20})(?![0-9a-f])/;

/** Copies everything but states, inventories, facts and queues. */
export async function copyRecords(move: Move): Promise<void> {
  const [from] = move.sources as readonly [Keys];
  const schedules = await namesIn(move, 'HSCAN', (keys) => keys.schedules);
  for (const [name, place] of Object.entries(PLACES) as [keyof Keys, (typeof PLACES)['targets']][]) {
    if (place === 'apart' || place === 'none') continue;
    if (typeof from[name] === 'string') await copyEntries(move, (keys) => keys[name] as string, place);
    // All others are keys of a schedule.
    else
      for (const one of schedules) await copyEntries(move, (keys) => keys[name as 'openTargets'](one), place);
  }
  for (const route of await namesIn(move, 'SSCAN', (keys) => keys.digestRoutes))
    await copyEntries(move, (keys) => keys.digest(route), digestPlace(route));
  for (const { judgedRouting } of move.destinations)
    await copyKey(move.redis, from.judgedRouting, judgedRouting);
  await copyOutcomes(move);
  await copyDeliveryLists(move);
  await copyChanges(move);
  await copyContents(move);
}

/**
 * Copies outcomes of jobs, which keep jobs from running twice: those of scans to the shard of the target, whose hash is in the id of the
 * scan, and all others to all shards.
 */
async function copyOutcomes(move: Move): Promise<void> {
  const { redis, sources, signal, destinations, destination, onProgress } = move;
  const shardOfHash = new Map<string | undefined, Keys>();
  for (const target of await namesIn(move, 'SSCAN', ({ targets }) => targets)) {
    shardOfHash.set(hash('sha256', target).slice(0, HASH_DIGITS), destination(target));
  }
  for (const [index, source] of sources.entries()) {
    onProgress('copying outcomes', index, sources.length);
    for (const kind of ['outcome', 'request']) {
      for await (const found of scanKeys(redis, `${source.prefix}:${kind}:*`)) {
        signal.throwIfAborted();
        const copies = found.flatMap((key) => {
          const own = shardOfHash.get(HASH_IN_KEY.exec(key)?.[1]);
          const shards = own === undefined ? destinations : [own];
          return shards.map(({ prefix }) => copyKey(redis, key, prefix + key.slice(source.prefix.length)));
        });
        await Promise.all(copies);
      }
    }
  }
}

async function copyDeliveryLists({ redis, sources, destination }: Move): Promise<void> {
  for (const source of sources) {
    const start = source.targetDeliveries('');
    for await (const found of scanKeys(redis, `${start}*`)) {
      for (const key of found) {
        const target = key.slice(start.length);
        await copyKey(redis, key, destination(target).targetDeliveries(target));
      }
    }
  }
}

/** Copies the change logs, merged in the order of their times: a stream takes no entry that is older than its last one. */
async function copyChanges({ redis, sources, signal, destination, onProgress }: Move): Promise<void> {
  const onUnreadable = (error: Error) => {
    throw error;
  };
  const logs = sources.map((source) => createChangeLog(redis, source).after('0', onUnreadable));
  const heads = await Promise.all(logs.map(async (log) => ({ log, entry: (await log.next()).value })));
  for (let done = 0; ; done += 1) {
    signal.throwIfAborted();
    if (done % CHUNK === 0) onProgress('copying the change log', done, done);
    const [first] = heads.toSorted((one, other) => timeOf(one.entry) - timeOf(other.entry));
    if (first?.entry === undefined) return;
    const { at, id: _, ...changes } = first.entry as ChangeLogEntry;
    await redis.xadd(destination(changes.target).changes, `${at}-*`, 'changes', await packLog(changes));
    first.entry = (await first.log.next()).value;
  }
}

function timeOf(entry: ChangeLogEntry | undefined): number {
  return entry?.at ?? Number.POSITIVE_INFINITY;
}

/** Copies the contents of lockfiles, whose keys differ between one shard and several. */
async function copyContents({ redis, signal, sources: [source], destinations: [to] }: Move): Promise<void> {
  if (source === undefined || to === undefined || source.blob('') === to.blob('')) return;
  for await (const found of scanKeys(redis, source.blob('*'))) {
    signal.throwIfAborted();
    for (const key of found) await copyKey(redis, key, to.blob(key.slice(source.blob('').length)));
  }
}
