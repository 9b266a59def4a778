import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DiscoveredLockfile, discoverLockfiles } from '../lockfiles/discover.ts';
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

/** Manifests that tell what a lockfile leaves out, by the names of formats that ask for them. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = { 'npm-package-lock': ['package.json'] };
/** Files that hold for the folders below theirs, by the names of formats that ask for them. */
const INHERITED: Readonly<Record<string, readonly string[]>> = { 'maven-pom-xml': ['pom.xml'] };
/** How far up they are looked for, never above the folder that was named. */
const MAX_LEVELS = 6;

/** Finds and reads lockfiles, with the manifests beside them. Throws `ScanError` (`nothing-to-scan`). */
export async function readLockfilePaths(options: LockfilePaths): Promise<readonly ProducedLockfile[]> {
  const { paths, format, signal } = options;
  const found: ProducedLockfile[] = [];
  const discovery = {
    ...(format === undefined ? {} : { format }),
    ...(signal === undefined ? {} : { signal }),
  };
  for await (const file of discoverLockfiles(paths, discovery)) {
    found.push({
      path: file.relativePath,
      ...(await contentOf(file.path, options.maxBytes)),
      companions: await companionsOf(file),
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

async function companionsOf({
  path,
  relativePath,
  format,
}: DiscoveredLockfile): Promise<readonly { name: string; content: Buffer }[]> {
  const levels = Math.min(relativePath.split('/').length - 1, MAX_LEVELS);
  const above = Array.from({ length: levels }, (_, level) => '../'.repeat(level + 1));
  const inherited = (INHERITED[format] ?? []).flatMap((name) => above.map((folder) => folder + name));
  const names = [...(COMPANIONS[format] ?? []), ...inherited];
  const read = await Promise.all(
    names.map(async (name) => {
      try {
        return [{ name, content: await readFile(join(dirname(path), name)) }];
      } catch {
        // A companion is a help, not a need: without it the reader knows less, and says so.
        return [];
      }
    }),
  );
  return read.flat();
}
