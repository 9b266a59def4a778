import { constants, type Stats } from 'node:fs';
import { sep } from 'node:path';
import { FileError, toFileError } from './errors.ts';
import { close, fstat, open, realpath, stat } from './file-system.ts';

/**
 * The flags for opening. Without them, opening a named pipe waits for its writer, and a terminal can become the
 * controlling one.
 */
export const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a regular file for reading. The caller closes it. With `within`, the file must be inside that folder after all links
 * are resolved. Throws `FileError`.
 * `descriptor`: closed with `close` of `file-system.ts`. `size`: size in bytes when the file was opened. Files in `/proc` contain more
 * than this.
 */
export async function openFile(path: string, within?: string) {
  try {
    // Before the file is opened, because opening a device can have effects.
    checkKind(path, await stat(path));
    const descriptor = await open(path, OPEN_FLAGS);
    try {
      // The path may lead to another file by now.
      const opened = await fstat(descriptor);
      checkKind(path, opened);
      if (within !== undefined) await checkInside(path, opened, within);
      return { descriptor, size: opened.size };
    } catch (error) {
      await close(descriptor);
      throw error;
    }
  } catch (error) {
    throw toFileError(path, error);
  }
}

async function checkInside(path: string, opened: Stats, within: string): Promise<void> {
  const [folder, real] = await Promise.all([realpath(within), realpath(path)]);
  const isInside = real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  if (isInside && isSameFile(opened, await stat(real))) return;
  throw new FileError('outside', `${path}: is a link out of the given folder; name the file itself`);
}

function isSameFile(left: Stats, right: Stats): boolean {
  return left.ino === right.ino && left.dev === right.dev;
}

/** Throws `FileError` (`not-a-file`) unless the path is a regular file. */
export function checkKind(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new FileError('not-a-file', `${path}: is a ${kindOf(stats)}; only regular files are read`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFIFO()) return 'named pipe';
  return stats.isSocket() ? 'socket' : 'device';
}
