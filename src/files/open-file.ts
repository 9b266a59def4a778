import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { FileError } from './errors.ts';
import { checkKind, isSameFile, systemFault } from './file-kind.ts';

export interface OpenedFile {
  readonly handle: FileHandle;
  /** Bytes that it held when it was opened; files such as those of `/proc` hold more than they state. */
  readonly size: number;
}

/** Opening a named pipe would wait for its writer, and opening a terminal could make it ours. */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a regular file for reading; the caller closes it. With `within` the file is one inside that folder, whatever links
 * its path goes through. Throws `FileError`.
 */
export async function openFile(path: string, within?: string): Promise<OpenedFile> {
  try {
    // Before it is opened: to open a device may have effects.
    checkKind(path, await stat(path));
    const handle = await open(path, OPEN_FLAGS);
    try {
      // What is open now may be another file than the one that was looked at.
      const opened = await handle.stat();
      checkKind(path, opened);
      if (within !== undefined) await checkInside(path, opened, within);
      return { handle, size: opened.size };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw systemFault(path, error);
  }
}

async function checkInside(path: string, opened: Stats, within: string): Promise<void> {
  const [folder, real] = await Promise.all([realpath(within), realpath(path)]);
  const isInside = real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  if (isInside && isSameFile(opened, await stat(real))) return;
  throw new FileError('outside', `${path}: is a link out of the folder that was named; name the file itself`);
}
