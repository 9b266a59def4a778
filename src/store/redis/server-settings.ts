import type { Redis } from 'ioredis';
import { messageOf } from '../../model/errors.ts';
import type { RedisClient } from './connection.ts';
import { dataNodes } from './server-info.ts';

/** Settings that decide whether Redis keeps its data. Unset: Redis does not report them. */
export interface ServerSettings {
  /** `noeviction`, or which keys are dropped when memory is full. */
  readonly evictionPolicy?: string | undefined;
  /** Whether anything is written to disk. */
  readonly persistent?: boolean | undefined;
  /** `always`, `everysec` or `no`; unset without an append-only file. */
  readonly fsync?: string | undefined;
}

/**
 * Reads the settings of Redis; of a cluster, the worst of all primaries. Managed services often forbid `CONFIG`: then `INFO`
 * is read, and what neither reports is unset.
 */
export async function readServerSettings(redis: RedisClient): Promise<ServerSettings> {
  const all = await Promise.all(dataNodes(redis).map(settingsOf));
  const evictionPolicy =
    all.find((one) => one.evictionPolicy !== undefined && one.evictionPolicy !== 'noeviction')
      ?.evictionPolicy ?? all[0]?.evictionPolicy;
  const persistent = all.find((one) => one.persistent === false)?.persistent ?? all[0]?.persistent;
  const fsync = all.find((one) => one.fsync !== 'always')?.fsync ?? all[0]?.fsync;
  return { evictionPolicy, persistent, fsync };
}

async function settingsOf(server: Redis): Promise<ServerSettings> {
  const evictionPolicy =
    (await config(server, 'maxmemory-policy')) ?? (await info(server, 'memory', 'maxmemory_policy'));
  const appendOnly =
    (await config(server, 'appendonly')) ?? (await info(server, 'persistence', 'aof_enabled'));
  const snapshots = await config(server, 'save');
  const persistent =
    appendOnly === 'yes' || appendOnly === '1'
      ? true
      : snapshots === undefined
        ? undefined
        : snapshots !== '';
  const fsync = appendOnly === 'yes' || appendOnly === '1' ? await config(server, 'appendfsync') : undefined;
  return { evictionPolicy, persistent, fsync };
}

async function config(server: Redis, name: string): Promise<string | undefined> {
  const answer = await unlessForbidden(() => server.call('CONFIG', 'GET', name));
  // A list in RESP2, a map in RESP3.
  const value: unknown = Array.isArray(answer)
    ? answer[1]
    : (answer as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

async function info(server: Redis, section: string, field: string): Promise<string | undefined> {
  const text = await unlessForbidden(() => server.info(section));
  return new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(String(text ?? ''))?.[1];
}

/** Whether Redis does not let its user run a command, or does not have it under this name. */
export function isForbidden(error: unknown): boolean {
  return /NOPERM|unknown command|unsupported|not allowed|no permissions/i.test(messageOf(error));
}

/** `undefined` when the command is forbidden, renamed or unknown. */
async function unlessForbidden(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
