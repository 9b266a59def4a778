import { defineScript, runScript } from '../scripts/run-script.ts';
import { byTag } from './by-tag.ts';
import type { RedisClient } from './connection.ts';

/** Commands that read one key, as in Redis. */
export interface JoinedReads {
  get(key: string): Promise<string | null>;
  hget(key: string, field: string): Promise<Buffer | null>;
  hmget(key: string, fields: readonly string[]): Promise<readonly (string | null)[]>;
  zrangebyscore(key: string, least: number | '-inf', most: number | '+inf'): Promise<readonly string[]>;
}

/** Reads in one script: longer ones would block Redis. */
const MAX_JOINED = 16;

const known = new WeakMap<RedisClient, JoinedReads>();

/**
 * Joins the reads that are requested in one turn of the event loop: those of keys with one hash tag are one command. To judge a scan, six
 * keys are read that do not depend on each other.
 */
export function joinedReads(redis: RedisClient): JoinedReads {
  const reads = known.get(redis) ?? createReads(redis);
  known.set(redis, reads);
  return reads;
}

interface Read {
  readonly command: string;
  readonly key: string;
  readonly args: readonly (string | number)[];
  readonly resolve: (reply: unknown) => void;
}

function createReads(redis: RedisClient): JoinedReads {
  let waiting: Read[] = [];
  const send = () => {
    const reads = waiting;
    waiting = [];
    for (const group of byTag(reads, ({ key }) => key)) void sendGroup(redis, group);
  };
  const read = (command: string, key: string, ...args: readonly (string | number)[]): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    if (waiting.length === 0) setImmediate(send);
    waiting.push({ command, key, args, resolve });
    if (waiting.length === MAX_JOINED) send();
    return promise;
  };
  return {
    get: async (key) => textOf(await read('GET', key)),
    hget: async (key, field) => (await read('HGET', key, field)) as Buffer | null,
    hmget: async (key, fields) => listOf(await read('HMGET', key, ...fields)).map(textOf),
    zrangebyscore: async (key, least, most) =>
      listOf(await read('ZRANGEBYSCORE', key, least, most)).map(String),
  };
}

/** When the script fails, each command is sent alone: one unreadable key must not keep others from being read. */
async function sendGroup(redis: RedisClient, group: readonly Read[]): Promise<void> {
  const alone = ({ command, key, args, resolve }: Read) => resolve(redis.callBuffer(command, key, ...args));
  if (group.length === 1) return group.forEach(alone);
  try {
    const replies = listOf(
      await runScript(
        redis,
        READ_ALL,
        group.map(({ key }) => key),
        group.flatMap(partOf),
      ),
    );
    for (const [index, { resolve }] of group.entries()) resolve(replies[index]);
  } catch {
    group.forEach(alone);
  }
}

function partOf({ command, args }: Read): readonly (string | number)[] {
  return [command, args.length, ...args];
}

function listOf(reply: unknown): readonly unknown[] {
  return reply as readonly unknown[];
}

function textOf(reply: unknown): string | null {
  return Buffer.isBuffer(reply) ? reply.toString('utf8') : null;
}

/** Keys: one for each command. Arguments: for each command its name, the number of its further arguments and these. */
const READ_ALL = defineScript(`
local replies = {}
local at = 1
for index, key in ipairs(KEYS) do
  local last = at + 1 + tonumber(ARGV[at + 1])
  replies[index] = redis.call(ARGV[at], key, unpack(ARGV, at + 2, last))
  at = last + 1
end
return replies
`);
