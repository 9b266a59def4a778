import { chunks } from '../../model/chunks.ts';
import { DIGEST_ENTRY, LOGGED_CHANGES } from '../../model/stored/catalog.ts';
import type { Keys } from '../../store/keys.ts';
import { unpackJson } from '../../store/values/compression.ts';
import { readValue } from '../../store/values/stored-values.ts';
import { copyKey, type Move, scanHash, scanKeys } from './shard-sets.ts';

const CHUNK = 200;

/** Copies the records of scans, each to the shard of its target. */
export async function copyScans({ redis, sources, destination, staged, onProgress }: Move): Promise<void> {
  for (const [index, source] of sources.entries()) {
    onProgress('copying scans', index, sources.length);
    for await (const entries of scanHash(redis, source.scans)) {
      const scores = await redis.zmscore(source.scanOrder, ...entries.map(([scan]) => scan));
      for (const [at, [scan, text]] of entries.entries()) {
        const target = targetIn(text);
        // A damaged record stays readable for an operator.
        const keys = target === undefined ? (staged[0] as Keys) : destination(target);
        await redis.hset(keys.scans, scan, text);
        const score = scores[at];
        if (score != null) await redis.zadd(keys.scanOrder, score, scan);
      }
    }
  }
}

/** Copies deliveries with their attempts and notifications. */
export async function copyDeliveries({ redis, sources, destination, onProgress }: Move): Promise<void> {
  for (const [index, source] of sources.entries()) {
    onProgress('copying deliveries', index, sources.length);
    for (const list of ['openDeliveries', 'failedDeliveries', 'delivered'] as const) {
      const pairs = await redis.zrange(source[list], '0', '-1', 'WITHSCORES');
      const targets = new Set<string>();
      for (const part of chunks(chunks(pairs, 2), CHUNK)) {
        await Promise.all(
          part.map(async ([id = '', score = '0']) => {
            const target = await redis.hget(source.delivery(id), 'target');
            if (target === null) return;
            targets.add(target);
            const keys = destination(target);
            await Promise.all([
              copyKey(redis, source.delivery(id), keys.delivery(id)),
              copyKey(redis, source.deliveryAttempts(id), keys.deliveryAttempts(id)),
              copyKey(redis, source.deliveryNotification(id), keys.deliveryNotification(id)),
              redis.zadd(keys[list], score, id),
            ]);
          }),
        );
      }
      for (const target of targets) {
        await copyKey(redis, source.targetDeliveries(target), destination(target).targetDeliveries(target));
      }
    }
  }
}

/** Copies the changes that wait for periodic digests. */
export async function copyDigests({ redis, sources, destination }: Move): Promise<void> {
  for (const source of sources) {
    for (const route of await redis.smembers(source.digestRoutes)) {
      const key = source.digest(route);
      for await (const entries of scanHash(redis, key)) {
        for (const [scan, value] of entries) {
          const place = {
            key,
            field: scan,
            remedy: 'Delete the field: the changes of this scan are not sent.',
          };
          const { target } = await readValue(DIGEST_ENTRY, value, place);
          const keys = destination(target.id);
          await redis.hset(keys.digest(route), scan, value);
          await redis.sadd(keys.digestRoutes, route);
        }
      }
    }
  }
}

/** Copies the change logs, merged in the order of their times. Copies of an interrupted move are written anew. */
export async function copyChanges(move: Move): Promise<void> {
  const { redis, sources, staged, destination, onProgress } = move;
  for (const { changes } of staged) await redis.unlink(changes);
  const logs = sources.map(({ changes }) => readLog(move, changes));
  const heads = await Promise.all(logs.map((log) => log.next()));
  const lastIds = new Map<Keys, string>();
  for (let done = 0; ; done += 1) {
    const open = heads.flatMap((head, index) => (head.done === true ? [] : [{ index, entry: head.value }]));
    const [first] = open.sort((left, right) => compareIds(left.entry.id, right.entry.id));
    if (first === undefined) return;
    const { id, fields, target } = first.entry;
    const keys = destination(target);
    const last = lastIds.get(keys);
    const own = last === undefined || compareIds(id, last) > 0 ? id : following(last);
    await redis.xadd(keys.changes, own, ...fields);
    lastIds.set(keys, own);
    heads[first.index] = await (logs[first.index] as (typeof logs)[number]).next();
    if (done % CHUNK === 0) onProgress('copying the change log', done, done);
  }
}

interface LogEntry {
  readonly id: string;
  readonly fields: readonly Buffer[];
  readonly target: string;
}

async function* readLog({ redis }: Move, key: string): AsyncGenerator<LogEntry> {
  let from = '-';
  for (;;) {
    const part = await redis.xrangeBuffer(key, from, '+', 'COUNT', CHUNK);
    for (const [id, fields] of part) {
      const name = String(id);
      const value = fields[fields.findIndex((field) => String(field) === 'changes') + 1];
      const place = { key, field: name, remedy: 'Delete the entry of the stream (XDEL).' };
      const text = value === undefined ? '' : JSON.stringify(await unpackJson(value));
      const { target } = await readValue(LOGGED_CHANGES, text, place);
      yield { id: name, fields, target };
      from = `(${name}`;
    }
    if (part.length < CHUNK) return;
  }
}

function compareIds(left: string, right: string): number {
  const [leftMs = 0, leftNumber = 0] = left.split('-').map(Number);
  const [rightMs = 0, rightNumber = 0] = right.split('-').map(Number);
  return leftMs - rightMs || leftNumber - rightNumber;
}

function following(id: string): string {
  const [ms = '0', number = '0'] = id.split('-');
  return `${ms}-${Number(number) + 1}`;
}

/**
 * Copies the outcomes of jobs to the shards of their scans' targets. An outcome whose scan has no record is copied to all shards:
 * it only keeps a job from running twice.
 */
export async function copyOutcomes({ redis, sources, staged, destination, onProgress }: Move): Promise<void> {
  let done = 0;
  for (const source of sources) {
    for (const kind of ['outcome', 'spent', 'request']) {
      const start = `${source.prefix}:${kind}:`;
      for await (const found of scanKeys(redis, `${start}*`)) {
        for (const part of chunks(found, CHUNK)) {
          await Promise.all(
            part.map(async (key) => {
              const target = await targetOfOutcome(redis, source, key.slice(start.length));
              const keys = target === undefined ? staged : [destination(target)];
              for (const { prefix } of keys) {
                await copyKey(redis, key, `${prefix}:${kind}:${key.slice(start.length)}`);
              }
            }),
          );
          done += part.length;
          onProgress('copying outcomes', done, done);
        }
      }
    }
  }
}

/** `name`: job and key. Keys begin with the id of their scan, which may contain dots. */
async function targetOfOutcome(
  redis: Move['redis'],
  { scans }: Keys,
  name: string,
): Promise<string | undefined> {
  const parts = name.slice(name.indexOf(':') + 1).split('.');
  const ids = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  for (const text of await redis.hmgetBuffer(scans, ...ids.slice(0, 20))) {
    if (text !== null) return targetIn(text);
  }
  return undefined;
}

/** Copies what all shards share and what has other keys with one shard: contents of lockfiles, seen and inspected versions. */
export async function copyShared({ redis, prefix, from, to, staged, onProgress }: Move): Promise<void> {
  if ((from === 1) === (to === 1)) return;
  const keys = staged[0] as Keys;
  const bare = prefix.replaceAll(/[{}]/g, '');
  const blobs = from === 1 ? `${prefix}:blob:` : `${bare}:blob:`;
  const spread = from === 1 ? `${prefix}:` : `${bare}:{${bare}:*}:`;
  let done = 0;
  for (const [pattern, keyOf] of [
    [`${blobs}*`, keys.blob],
    [`${spread}seen:*`, (bucket: string) => keys.seen(Number(bucket))],
    [`${spread}inspected:*`, (bucket: string) => keys.inspected(Number(bucket))],
  ] as const) {
    for await (const found of scanKeys(redis, pattern)) {
      for (const key of found) await copyKey(redis, key, keyOf(key.slice(key.lastIndexOf(':') + 1)));
      done += found.length;
      onProgress('copying contents', done, done);
    }
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
