import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileError } from '../../files/errors.ts';
import { readTextSync } from '../../files/read-file.ts';
import { MAX_SHARD_BYTES, readShard, type Shard, writeShard } from './shard.ts';

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
