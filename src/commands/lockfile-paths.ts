import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { readCompanions } from '../lockfiles/companions.ts';
import { discoverLockfiles } from '../lockfiles/discover.ts';
import { requireFormat } from '../lockfiles/read.ts';
import type { ProducedLockfile, StoredContent } from '../producer.ts';
import { ScanError } from './errors.ts';

export interface LockfilePaths {
  /** Lockfiles, or folders that are searched for them. */
  readonly paths: readonly string[];
  readonly format?: string;
  /** A larger file is announced and not stored: the scan reports it as unread. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/**
 * Finds and reads lockfiles, with the manifests beside them. Throws `ScanError` (`nothing-to-scan`), `LockfileError`
 * (`unknown-format`).
 */
export async function readLockfilePaths(options: LockfilePaths): Promise<readonly ProducedLockfile[]> {
  const { paths, format, signal } = options;
  requireFormat('--as', format);
  const found: ProducedLockfile[] = [];
  const discovery = {
    ...(format === undefined ? {} : { format }),
    ...(signal === undefined ? {} : { signal }),
  };
  for await (const file of discoverLockfiles(paths, discovery)) {
    found.push({
      path: file.relativePath,
      ...(await contentOf(file.path, options.maxBytes)),
      companions: await readCompanions(file),
      ...(format === undefined ? {} : { format }),
    });
  }
  if (found.length === 0) {
    throw new ScanError(
      'nothing-to-scan',
      `no lockfile found in ${paths.join(', ')}; name one, or see README.md for what is read`,
    );
  }
  return found;
}

async function contentOf(path: string, maxBytes: number): Promise<{ content: Buffer } | StoredContent> {
  const { size } = await stat(path);
  if (size <= maxBytes) return { content: await readFile(path) };
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { sha256: hash.digest('hex'), bytes: size };
}
