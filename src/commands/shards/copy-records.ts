import { hash } from 'node:crypto';
import { INGEST_LOCKFILES } from '../../jobs/payloads/ingest-lockfiles.ts';
import { JUDGE_SCAN } from '../../jobs/payloads/judge-scan.ts';
import { HASH_DIGITS } from '../../model/scan/scan-id.ts';
import { DIGEST_ENTRY, LOGGED_CHANGES, OUTCOME } from '../../model/stored/catalog.ts';
import type { Keys } from '../../store/keys.ts';
import { parseFailingField } from '../../store/outcomes/watch-steps.ts';
import type { RedisClient } from '../../store/redis/connection.ts';
import { readValue, writeLargeValue } from '../../store/values/stored-values.ts';
import { copyEntries, copyKey, type Move, namesIn, scanKeys } from './move.ts';

const CHUNK = 200;
/** The hash of a target in the id of a scan (`scanIdOf`). */
const HASH_IN_KEY = /\.([0-9a-f]{20})(?![0-9a-f])/;

/** Copies everything but targets and jobs. */
export async function copyRecords(move: Move): Promise<void> {
  await copyScans(move);
  await copyOutcomes(move);
  await copyDeliveries(move);
  await copyDigests(move);
  await copySchedules(move);
  await copyChanges(move);
  await copySettings(move);
  await copyContents(move);
}

/** Copies the records of scans. One without a target is damaged and stays readable for an operator. */
async function copyScans(move: Move): Promise<void> {
  const { redis, destination, destinations } = move;
  const placeOf = (text: Buffer | null): readonly Keys[] => {
    const target = text === null ? undefined : targetIn(text);
    return target === undefined ? destinations.slice(0, 1) : [destination(target)];
  };
  await copyEntries(
    move,
    ({ scans }) => scans,
    (_, text) => placeOf(text),
  );
  await copyEntries(
    move,
    ({ scanOrder }) => scanOrder,
    async (scan, _, source) => placeOf(await redis.hgetBuffer(source.scans, scan)),
  );
}

/**
 * Copies outcomes of jobs, which keep jobs from running twice: those of scans to the shard of the target, whose hash is in the id of the
 * scan, and all others to all shards. Reports of finished scans are not copied: they hold the package ids of their shard.
 */
async function copyOutcomes(move: Move): Promise<void> {
  const { redis, sources, signal, destinations, destination, onProgress } = move;
  const shardOfHash = new Map<string | undefined, Keys>();
  for (const target of await namesIn(move, ({ targets }) => targets)) {
    shardOfHash.set(hash('sha256', target).slice(0, HASH_DIGITS), destination(target));
  }
  for (const [index, source] of sources.entries()) {
    onProgress('copying outcomes', index, sources.length);
    for (const kind of ['outcome', 'request']) {
      for await (const found of scanKeys(redis, `${source.prefix}:${kind}:*`)) {
        signal.throwIfAborted();
        await Promise.all(
          found.map(async (key) => {
            const own = shardOfHash.get(HASH_IN_KEY.exec(key)?.[1]);
            for (const { prefix } of own === undefined ? destinations : [own]) {
              const copy = prefix + key.slice(source.prefix.length);
              await copyKey(redis, key, copy);
              if (await isReport(redis, source, key)) await dropResult(redis, copy);
            }
          }),
        );
      }
    }
  }
}

/** Whether a key is an inventory that only the report of its scan needs. */
async function isReport(redis: RedisClient, source: Keys, key: string): Promise<boolean> {
  const start = source.outcome(INGEST_LOCKFILES.name, '');
  if (!key.startsWith(start)) return false;
  return (await redis.exists(source.outcome(JUDGE_SCAN.name, key.slice(start.length)))) === 1;
}

/** Keeps the follow-ups of an outcome. */
async function dropResult(redis: RedisClient, key: string): Promise<void> {
  const stored = await redis.getBuffer(key);
  if (stored === null || stored.length === 0) return;
  const outcome = await readValue(OUTCOME, stored, {
    key,
    remedy: 'Delete the key to have the job run again.',
  });
  await redis.set(key, await writeLargeValue(OUTCOME, { ...outcome, result: null }), 'KEEPTTL');
}

/** Copies deliveries with their attempts and notifications. */
async function copyDeliveries(move: Move): Promise<void> {
  const { redis, sources, destination } = move;
  for (const list of ['openDeliveries', 'failedDeliveries', 'delivered'] as const) {
    await copyEntries(
      move,
      (keys) => keys[list],
      async (id, _, source) => {
        const target = await redis.hget(source.delivery(id), 'target');
        if (target === null) return [];
        const keys = destination(target);
        await copyKey(redis, source.delivery(id), keys.delivery(id));
        await copyKey(redis, source.deliveryAttempts(id), keys.deliveryAttempts(id));
        await copyKey(redis, source.deliveryNotification(id), keys.deliveryNotification(id));
        return [keys];
      },
    );
  }
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

/** Copies the changes that wait for periodic digests. */
async function copyDigests(move: Move): Promise<void> {
  for (const route of await namesIn(move, ({ digestRoutes }) => digestRoutes)) {
    await copyEntries(
      move,
      (keys) => keys.digest(route),
      async (field, value, source) => {
        const remedy = 'Delete the field: the changes of this scan are not sent.';
        const { target } = await readValue(DIGEST_ENTRY, value, { key: source.digest(route), field, remedy });
        return [move.destination(target.id)];
      },
    );
  }
  await copyEntries(
    move,
    ({ digestRoutes }) => digestRoutes,
    () => move.destinations,
  );
}

/**
 * Copies schedules to all shards, and what is stored about each of their targets to the shard of the target. The first shard gets the
 * history of runs.
 */
async function copySchedules(move: Move): Promise<void> {
  const { destination, destinations } = move;
  for (const schedule of await namesIn(move, ({ schedules }) => schedules)) {
    for (const kind of ['openTargets', 'watchedTargets', 'sourceReadings'] as const) {
      await copyEntries(
        move,
        (keys) => keys[kind](schedule),
        (target) => [destination(target)],
      );
    }
    for (const kind of ['scheduleRuns', 'scheduleCounts'] as const) {
      await copyEntries(
        move,
        (keys) => keys[kind](schedule),
        () => destinations.slice(0, 1),
      );
    }
  }
  await copyEntries(
    move,
    ({ schedules }) => schedules,
    () => destinations,
  );
  await copyEntries(
    move,
    ({ failingTargets }) => failingTargets,
    (field) => [destination(parseFailingField(field).target)],
  );
}

/**
 * Copies when the fleet was refreshed, and the routes by which the targets were judged. The settings are not copied: the workers
 * then judge all targets again, for facts of several shards that differ and for selections that had begun.
 */
async function copySettings(move: Move): Promise<void> {
  const { redis, sources, destinations } = move;
  await copyEntries(
    move,
    ({ refreshes }) => refreshes,
    () => destinations,
  );
  for (const { judgedRouting } of destinations)
    await copyKey(redis, (sources[0] as Keys).judgedRouting, judgedRouting);
}

/** Copies the change logs, merged in the order of their times: a stream takes no entry that is older than its last one. */
async function copyChanges(move: Move): Promise<void> {
  const { redis, sources, signal, destination, onProgress } = move;
  const logs = sources.map(({ changes }) => readLog(move, changes));
  const heads = await Promise.all(logs.map(async (log) => ({ log, entry: (await log.next()).value })));
  for (let done = 0; ; done += 1) {
    signal.throwIfAborted();
    if (done % CHUNK === 0) onProgress('copying the change log', done, done);
    const [first] = heads.toSorted((one, other) => timeOf(one) - timeOf(other));
    if (first?.entry === undefined) return;
    const { at, target, fields } = first.entry;
    await redis.xadd(destination(target).changes, `${at}-*`, ...fields);
    first.entry = (await first.log.next()).value;
  }
}

interface LogEntry {
  readonly at: number;
  readonly target: string;
  readonly fields: readonly Buffer[];
}

function timeOf({ entry }: { readonly entry: LogEntry | undefined }): number {
  return entry?.at ?? Number.POSITIVE_INFINITY;
}

async function* readLog({ redis }: Move, key: string): AsyncGenerator<LogEntry, undefined> {
  let from = '-';
  for (;;) {
    const part = await redis.xrangeBuffer(key, from, '+', 'COUNT', CHUNK);
    for (const [id, fields] of part) {
      const field = String(id);
      const value = fields[fields.findIndex((name) => String(name) === 'changes') + 1] as Buffer;
      const place = { key, field, remedy: 'Delete the entry of the stream (XDEL).' };
      const { target } = await readValue(LOGGED_CHANGES, value, place);
      yield { at: Number.parseInt(field, 10), target, fields };
      from = `(${field}`;
    }
    if (part.length < CHUNK) return;
  }
}

/** Copies the contents of lockfiles, whose keys differ between one shard and several. */
async function copyContents({ redis, signal, sources: [source], destinations: [to] }: Move): Promise<void> {
  if (source === undefined || to === undefined || source.blob('') === to.blob('')) return;
  for await (const found of scanKeys(redis, source.blob('*'))) {
    signal.throwIfAborted();
    for (const key of found) await copyKey(redis, key, to.blob(key.slice(source.blob('').length)));
  }
}

/** The field `target` of a JSON text. */
function targetIn(text: Buffer): string | undefined {
  try {
    const { target } = JSON.parse(text.toString()) as { readonly target?: unknown };
    return typeof target === 'string' ? target : undefined;
  } catch {
    return undefined;
  }
}
