import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../errors.ts';

const PREFIX = 'read-';
/** A folder of this age belongs to a worker that died. */
const ABANDONED_MS = 6 * 3_600_000;
const CHECK_MS = 500;

/**
 * Runs `work` in a new folder that is removed afterwards, and ends it when the folder exceeds a size. A reading leaves nothing
 * behind that a later one could find damaged or locked.
 */
export async function inWorkFolder<Result>(
  {
    root,
    maxBytes,
    what,
    signal,
  }: {
    readonly root: string;
    readonly maxBytes: number;
    readonly what: string;
    readonly signal: AbortSignal;
  },
  work: (folder: string, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await removeAbandoned(root);
  const folder = await mkdtemp(join(root, PREFIX));
  const full = new AbortController();
  const timer = setInterval(async () => {
    const bytes = await bytesIn(join(folder, 'objects', 'pack'));
    if (bytes > maxBytes) {
      full.abort(
        new SourceError(
          'too-large',
          `${what}: git received more than ${maxBytes} bytes (watch.maxRepositoryBytes); it is not read`,
        ),
      );
    }
  }, CHECK_MS);
  try {
    return await work(folder, AbortSignal.any([signal, full.signal]));
  } finally {
    clearInterval(timer);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Packs that arrive are here, under temporary names. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  try {
    for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  } catch {
    // A file was renamed or the folder removed since it was listed; the next check sees it.
  }
  return bytes;
}

async function removeAbandoned(root: string): Promise<void> {
  const oldest = Date.now() - ABANDONED_MS;
  for (const name of await readdir(root)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(root, name);
    const times = await stat(folder).catch(() => undefined);
    if (times !== undefined && times.mtimeMs < oldest) await rm(folder, { recursive: true, force: true });
  }
}
