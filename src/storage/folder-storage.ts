import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError, toFileError } from '../files/errors.ts';
import { flush } from '../files/flush.ts';
import { readFile } from '../files/read-file.ts';
import { messageOf } from '../model/errors.ts';
import type { ObjectStorage } from '../model/ports/object-storage.ts';
import { StorageError } from './errors.ts';

/**
 * Objects in a folder, which has to exist: one that is created here could be the place of a volume that is not mounted. An object is
 * on the disk, with its name, before `put` resolves. Throws `StorageError` (`not-written`) and `FileError`.
 */
export function createFolderStorage(folder: string, maxBytes: number): ObjectStorage {
  // A folder with a hundred thousand files is slow in some file systems.
  const partOf = (name: string) => join(folder, name.slice(0, 2));
  const pathOf = (name: string) => join(partOf(name), name);
  return {
    async put(name, content) {
      const path = pathOf(name);
      try {
        await mkdir(partOf(name)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
        });
        await writeFile(`${path}.tmp`, content, { flush: true });
        await rename(`${path}.tmp`, path);
        for (const one of [partOf(name), folder]) await flush(one);
      } catch (cause) {
        throw notWritten(path, cause);
      }
    },
    async get(name) {
      try {
        return await readFile(pathOf(name), { maxBytes, within: folder });
      } catch (error) {
        if (!(error instanceof FileError && error.code === 'not-found')) throw error;
        await stat(folder).catch((fault) => {
          throw toFileError(folder, fault);
        });
        return undefined;
      }
    },
    async remove(name) {
      const path = pathOf(name);
      try {
        await stat(folder);
        for (const one of [`${path}.tmp`, path]) await rm(one, { force: true });
      } catch (cause) {
        throw notWritten(path, cause);
      }
    },
  };
}

function notWritten(path: string, cause: unknown): StorageError {
  return new StorageError('not-written', `${path}: cannot be written: ${messageOf(cause)}`, { cause });
}
