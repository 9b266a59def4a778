import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileError } from '../../files/errors.ts';
import { readTextSync } from '../../files/read-file.ts';
import { messageOf } from '../../model/errors.ts';
import { jsonValue } from '../../model/json-object.ts';
import type { Cache } from '../../model/ports/shared-state.ts';
import { createYielder } from '../../model/yielding.ts';
import { createMemoryCache } from './memory-cache.ts';

interface DiskCacheOptions {
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
    const value = jsonValue(entry.text);
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
function openShardFolder(folder: string) {
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

/** One stored answer: a line of a shard. */
interface ShardEntry {
  /** When it was looked up; milliseconds since 1970. */
  readonly at: number;
  /** Until when it is fresh; milliseconds since 1970. */
  readonly until: number;
  /** JSON. */
  readonly text: string;
}

/** Entries by the hash of kind and key. */
export type Shard = Map<string, ShardEntry>;

/** Size of one shard in bytes; all 256 together are 128 MiB. */
export const MAX_SHARD_BYTES = 524_288;
/** A larger answer is not stored. */
const MAX_ENTRY_CHARACTERS = 131_072;
/** How long answers are kept for scans without network, after which they are removed. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** Changes when the form of the file does. */
const HEADER = 'lockhound look-ups 1\n';
const LINE = /^([0-9a-f]{32}) (\d{1,15}) (\d{1,15}) (.+)$/;

/** Reads a shard. What is cut off, damaged or of another form is left out: it is looked up again. */
function readShard(text: string): Shard {
  const shard: Shard = new Map();
  if (!text.startsWith(HEADER)) return shard;
  // The last line of a whole file is empty.
  for (const line of text.slice(HEADER.length).split('\n').slice(0, -1)) {
    const [, hash, at, until, own] = LINE.exec(line) ?? [];
    if (hash !== undefined && own !== undefined) {
      shard.set(hash, { at: Number(at), until: Number(until), text: own });
    }
  }
  return shard;
}

/** The text of a shard: the newest entries that fit. Those that are too old, or of the future, are left out. */
function writeShard(shard: Shard, now: number): string {
  const entries = [...shard]
    .filter(([, { at }]) => at <= now && at > now - KEPT_MS)
    .sort(([, left], [, right]) => right.at - left.at);
  const lines = [HEADER];
  let bytes = HEADER.length;
  for (const [hash, { at, until, text }] of entries) {
    const line = `${hash} ${at} ${until} ${text}\n`;
    bytes += Buffer.byteLength(line);
    if (bytes > MAX_SHARD_BYTES) break;
    lines.push(line);
  }
  return lines.join('');
}
