import { chunks, createYielder } from '../../model/yielding.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import type { RedisClient } from './connection.ts';

/** Entries in one command: longer ones would block Redis. */
const COUNT = 1_000;

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

/** All fields of a hash: `hgetallBuffer` makes an object of them before, which takes as long as a pass over them. */
export async function readHash(redis: RedisClient, key: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = (await redis.callBuffer('HGETALL', [key])) as readonly Buffer[];
  return new Map(chunks(found, 2).map(([name, value = EMPTY]) => [String(name), value]));
}

/** The fields of a hash in parts, or those whose value has one of some texts in it: Redis looks for these. One that changes meanwhile may come twice. */
export async function* scanHaving(
  redis: RedisClient,
  key: string,
  texts: readonly string[],
): AsyncGenerator<readonly (readonly [name: string, value: string])[]> {
  let cursor = '0';
  do {
    const answer = await runScript(redis, SCAN_HAVING, [key], [cursor, COUNT, ...texts]);
    const [next, ...found] = answer as readonly Buffer[];
    yield chunks(found, 2).map(([name, value]) => [String(name), String(value)] as const);
    cursor = String(next);
  } while (cursor !== '0');
}

/** Keys: hash. Arguments: cursor, entries to look at, the texts. Returns the next cursor, then names and values. */
const SCAN_HAVING = defineScript(`
local answer = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local found = {answer[1]}
for at = 1, #answer[2], 2 do
  local isWanted = #ARGV == 2
  for index = 3, #ARGV do
    isWanted = isWanted or string.find(answer[2][at + 1], ARGV[index], 1, true)
  end
  if isWanted then
    found[#found + 1] = answer[2][at]
    found[#found + 1] = answer[2][at + 1]
  end
end
return found
`);

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
