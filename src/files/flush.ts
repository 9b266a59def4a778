import { open } from 'node:fs/promises';
import { closing } from '../model/closing.ts';

/** Writes a file, or the names in a folder, to the disk: they are there after a power failure. Throws what the file system throws. */
export async function flush(path: string): Promise<void> {
  await closing(open(path, 'r'), (handle) => handle.sync());
}
