import { createHash } from 'node:crypto';
import { messageOf } from '../../model/errors.ts';
import type { RedisClient } from '../redis/connection.ts';

/** A Lua script and its SHA-1, by which Redis finds it. */
export type Script = ReturnType<typeof defineScript>;

export function defineScript(source: string) {
  return { source, sha1: createHash('sha1').update(source).digest('hex') };
}

/** Runs a script by its hash, or by its text when Redis does not have it. Strings are returned as buffers. */
export async function runScript(
  redis: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  try {
    // As a list: JavaScript cannot pass hundreds of thousands of arguments.
    return await redis.callBuffer('EVALSHA', [script.sha1, keys.length, ...keys, ...args]);
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
    return redis.callBuffer('EVAL', [script.source, keys.length, ...keys, ...args]);
  }
}
