import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileError } from '../../files/errors.ts';
import { readTextSync } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import type { Cache } from '../../model/ports/shared-state.ts';
import { createYielder } from '../../model/yielding.ts';
import { createMemoryCache } from './memory-cache.ts';
import {
  MAX_ENTRY_CHARACTERS,
  MAX_SHARD_BYTES,
  parsedValue,
  readShard,
  type Shard,
  writeShard,
} from './shard.ts';

export interface DiskCacheOptions {
  /** Folder of the cache; created when something is stored. */
  readonly folder: string;
  /** The service whose answers it holds. Its URL is not stored. */
  readonly service: string;
  /** Whether answers count that are no longer fresh. */
  readonly offline?: boolean;
  /** Called once when the cache cannot be written; nothing else depends on it. */
  readonly onFault: (message: string) => void;
  readonly now?: () => number;
}

export interface DiskCache extends Cache {
  /** When the oldest and the newest answer were looked up that were read from the disk; `undefined` without any. */
  ages(): { readonly oldest: number; readonly newest: number } | undefined;
  /** Writes what was looked up. Call it at the end, also after a failure. */
  flush(): Promise<void>;
}

/**
 * Answers of the service that outlast the process, in 256 files by hash. Reading and writing are synchronous and in small parts: 256
 * small files take a few milliseconds, and several times as long asynchronously.
 */
export function openDiskCache(options: DiskCacheOptions): DiskCache {
  const { service, offline = false, onFault, now = Date.now } = options;
  const files = openShardFolder(join(options.folder, hashOf(service).slice(0, 16)));
  const memory = createMemoryCache(now);
  const shards = new Map<string, Shard>();
  const added = new Map<string, { readonly entries: Shard; characters: number }>();
  let ages: { oldest: number; newest: number } | undefined;

  function shardOf(name: string): Shard {
    const known = shards.get(name) ?? files.read(name);
    shards.set(name, known);
    return known;
  }

  function onDisk(kind: string, key: string): unknown {
    const hash = hashOf(kind, key);
    const entry = shardOf(hash.slice(0, 2)).get(hash);
    const time = now();
    // A time in the future comes from a clock that was wrong.
    if (entry === undefined || entry.at > time || (!offline && entry.until <= time)) return undefined;
    const value = parsedValue(entry);
    if (value === undefined) return undefined;
    ages = {
      oldest: Math.min(entry.at, ages?.oldest ?? entry.at),
      newest: Math.max(entry.at, ages?.newest ?? entry.at),
    };
    return value;
  }

  function remember(kind: string, [key, value]: readonly [string, unknown], ttlMs: number): void {
    const text = JSON.stringify(value);
    if (text.length > MAX_ENTRY_CHARACTERS) return;
    const hash = hashOf(kind, key);
    const name = hash.slice(0, 2);
    const shard = added.get(name) ?? { entries: new Map(), characters: 0 };
    added.set(name, shard);
    if (shard.characters + text.length > MAX_SHARD_BYTES) return;
    shard.characters += text.length;
    const at = now();
    shard.entries.set(hash, { at, until: at + ttlMs, text });
  }

  return {
    async getMany(kind, keys) {
      const values = [...(await memory.getMany(kind, keys))];
      const yieldIfDue = createYielder();
      for (const [index, key] of keys.entries()) {
        values[index] ??= onDisk(kind, key);
        await yieldIfDue();
      }
      return values;
    },
    async setMany(kind, entries, ttlMs) {
      await memory.setMany(kind, entries, ttlMs);
      for (const entry of entries) remember(kind, entry, ttlMs);
    },
    ages: () => ages,
    async flush() {
      if (added.size === 0) return;
      const yieldIfDue = createYielder();
      try {
        files.prepare(now());
        for (const [name, { entries }] of added) {
          files.add(name, entries, now());
          await yieldIfDue();
        }
      } catch (error) {
        onFault(`the look-ups are not cached: ${messageOf(error)}`);
      }
      added.clear();
      shards.clear();
    },
  };
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

const TEMPORARY = '.tmp';
/** A temporary file of this age belongs to a process that died. */
const ABANDONED_MS = 3_600_000;

/** The files of one cache. They are replaced as a whole, so that other processes never see a part of one. */
export function openShardFolder(folder: string) {
  const pathOf = (name: string): string => join(folder, `${name}.txt`);
  return {
    /** An empty shard when there is no file, or one that is no shard: a device, a pipe, something much too large. */
    read(name: string): Shard {
      try {
        return readShard(readTextSync(pathOf(name), 2 * MAX_SHARD_BYTES));
      } catch (error) {
        if (error instanceof FileError || isMissing(error)) return new Map();
        throw error;
      }
    },
    /** Adds entries to what the file holds now. Of two processes that write at the same time, one may lose its entries. */
    add(name: string, entries: Shard, now: number): void {
      const text = writeShard(new Map([...this.read(name), ...entries]), now);
      const temporary = `${pathOf(name)}.${process.pid}.${Date.now().toString(36)}${TEMPORARY}`;
      try {
        writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 });
        renameSync(temporary, pathOf(name));
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    /** Creates the folder, for its owner only, and removes what processes that died left in it. */
    prepare(now: number): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder)) {
        if (!name.endsWith(TEMPORARY)) continue;
        const path = join(folder, name);
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats !== undefined && stats.mtimeMs < now - ABANDONED_MS) rmSync(path, { force: true });
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'ELOOP';
}
