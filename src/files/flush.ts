import { open } from 'node:fs/promises';

/** Writes a file, or the names in a folder, to the disk: they are there after a power failure. Throws what the file system throws. */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
