import { inheritedEnvironment } from '../config/inherited-environment.ts';
import { readFile } from '../files/read-file.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles, type UnlockedManifest } from '../lockfiles/discover.ts';
import { requireFormat } from '../lockfiles/known-formats.ts';
import { payloadPath, unreadError } from '../lockfiles/payload-file.ts';
import { RAISE_LIMIT } from '../lockfiles/read-as.ts';
import { CodedError } from '../model/errors.ts';
import type { UnreadError } from '../model/scan/inventory.ts';
import type { ProducedContent, ProducedLockfile } from '../scan/read.ts';
import { noLockfileIn, ScanError } from './errors.ts';

export interface LockfilePaths {
  /** Lockfiles, or folders that are searched for them. */
  readonly paths: readonly string[];
  readonly format?: string | undefined;
  /** A larger file is not read, and the scan reports it as unread. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Called for each lockfile that was read, with its path in the payload. */
  readonly onRead?: ((path: string, file: DiscoveredLockfile) => void) | undefined;
  /** Called for each manifest that no lockfile belongs to. */
  readonly onUnlocked?: ((manifest: UnlockedManifest) => void) | undefined;
}

/**
 * Finds and reads lockfiles with their companions. The result contains files and folders that cannot be read, with the
 * reason. Throws `ScanError` (`nothing-to-scan`) when nothing can be read, and `LockfileError` (`unknown-format`).
 */
export async function readLockfilePaths(options: LockfilePaths): Promise<readonly ProducedLockfile[]> {
  const { paths, format, signal } = options;
  requireFormat('--as', format);
  const found: ProducedLockfile[] = [];
  const unread: UnreadError[] = [];
  const unlocked: string[] = [];
  const onUnlocked = (manifest: UnlockedManifest): void => {
    unlocked.push(manifest.path);
    options.onUnlocked?.(manifest);
  };
  for await (const file of discoverLockfiles(paths, {
    format,
    signal,
    onUnlocked,
    tracked: trackedHere(signal),
  })) {
    const { path, fault } = payloadPath(file.relativePath);
    const read: ReadContent =
      fault !== undefined
        ? { unread: fault }
        : file.error === undefined
          ? await readOne(file, options.maxBytes)
          : { unread: unreadError(file.error) };
    if ('unread' in read) unread.push(read.unread);
    else if (file.error === undefined) options.onRead?.(path, file);
    found.push({
      ...read,
      path,
      format,
    });
  }
  if (found.length > unread.length) return found;
  throw new ScanError(
    'nothing-to-scan',
    unread.length > 0
      ? unread.map(({ message, code }) => `${message} [${code}]`).join('\n')
      : noLockfileIn(paths, unlocked),
  );
}

/** For `discoverLockfiles`: the tracked files of a folder on this machine. */
export function trackedHere(signal: AbortSignal = new AbortController().signal) {
  return async (folder: string) => {
    // Loaded on use: in most checkouts no rule matches anything.
    const { trackedFiles } = await import('../sources/git/local-repository.ts');
    return await trackedFiles(folder, { inherited: inheritedEnvironment(), signal });
  };
}

type ReadContent = ProducedContent & Pick<ProducedLockfile, 'companions'>;

async function readOne(file: DiscoveredLockfile, maxBytes: number): Promise<ReadContent> {
  try {
    const content = await readFile(file.path, { maxBytes, remedy: RAISE_LIMIT, within: file.within });
    const companions = await readCompanions(file, content);
    return {
      content,
      companions: companions.map(({ name, content: own, error }) =>
        own === undefined ? { name, unread: error } : { name, content: own },
      ),
    };
  } catch (error) {
    if (error instanceof CodedError) return { unread: unreadError(error) };
    throw error;
  }
}
