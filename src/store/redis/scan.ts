import { createYielder } from '../../model/yielding.ts';
import type { RedisClient } from './connection.ts';

/** Entries in one command: longer ones would block Redis. */
const COUNT = 500;

/** A field of a hash with its value, a member of a sorted set with its score, or a member of a set with an empty value. */
export type ScannedEntry = readonly [name: string, value: Buffer];

export type ScanCommand = 'HSCAN' | 'SSCAN' | 'ZSCAN';

/** Reads the entries of a hash, a set or a sorted set in parts. One that changes meanwhile may come twice. */
export async function* scanParts(
  redis: RedisClient,
  command: ScanCommand,
  key: string,
  match = '*',
): AsyncGenerator<readonly ScannedEntry[]> {
  const step = command === 'SSCAN' ? 1 : 2;
  const pattern = match === '*' ? [] : ['MATCH', match];
  let cursor = '0';
  do {
    const answer = await redis.callBuffer(command, [key, cursor, ...pattern, 'COUNT', COUNT]);
    const [next, found] = answer as [Buffer, Buffer[]];
    const part: ScannedEntry[] = [];
    for (let at = 0; at + step <= found.length; at += step)
      part.push([String(found[at]), step === 1 ? EMPTY : (found[at + 1] as Buffer)]);
    yield part;
    cursor = String(next);
  } while (cursor !== '0');
}

const EMPTY = Buffer.alloc(0);

/** Reads the fields of a hash one by one, and yields to other work. */
export async function* scanFields(
  redis: RedisClient,
  key: string,
  match?: string,
): AsyncGenerator<ScannedEntry> {
  const yieldIfDue = createYielder();
  for await (const part of scanParts(redis, 'HSCAN', key, match)) {
    for (const entry of part) {
      yield entry;
      await yieldIfDue();
    }
  }
}
