import { readFile, stat } from 'node:fs/promises';
import { FORMATS } from '../lockfiles/catalog.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles } from '../lockfiles/discover.ts';
import { LockfileError } from '../lockfiles/errors.ts';
import {
  checkSize,
  DEFAULT_LIMITS,
  type LockfileLimits,
  readLockfile,
  requireFormat,
} from '../lockfiles/read.ts';
import { messageOf } from '../model/errors.ts';
import type { FormatDescription, ParsedFile } from '../model/parsed-file.ts';
import { ScanError } from './errors.ts';

export interface ParseOptions {
  /** Lockfiles, or folders that are searched for them. */
  readonly paths: readonly string[];
  readonly format?: string;
  readonly limits?: Partial<LockfileLimits>;
  readonly signal?: AbortSignal;
}

/**
 * Reads lockfiles one after another. A file or path that cannot be read is one of the results. Throws `LockfileError`
 * (`unknown-format`) for a format that there is not, `ScanError` (`nothing-to-scan`) when the folders hold no lockfile.
 */
export async function* parseFiles(options: ParseOptions): AsyncGenerator<ParsedFile> {
  const { paths, format, signal } = options;
  requireFormat('--as', format);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let count = 0;
  for (const path of paths) {
    for await (const file of discovered(path, { format, signal })) {
      count += 1;
      yield 'error' in file ? file : await parseFile(file, { format, limits });
    }
  }
  if (count === 0) {
    throw new ScanError(
      'nothing-to-scan',
      `no lockfile found in ${paths.join(', ')}; name one, or see \`lockhound parse --formats\` for what is read`,
    );
  }
}

/** What there is to read, and what each format's files can tell. */
export function describeFormats(): readonly FormatDescription[] {
  return FORMATS.map(({ name, title, ecosystem, fileNames, facts }) => ({
    name,
    title,
    ecosystem: ecosystem ?? 'any',
    fileNames,
    ...facts,
  }));
}

async function* discovered(
  path: string,
  { format, signal }: { readonly format: string | undefined; readonly signal: AbortSignal | undefined },
): AsyncGenerator<DiscoveredLockfile | (ParsedFile & { error: object })> {
  try {
    yield* discoverLockfiles([path], {
      ...(format === undefined ? {} : { format }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    yield { path, error: { code: error.code, message: error.message } };
  }
}

async function parseFile(
  file: DiscoveredLockfile,
  { format, limits }: { readonly format: string | undefined; readonly limits: LockfileLimits },
): Promise<ParsedFile> {
  const { path } = file;
  try {
    const { size } = await stat(path);
    checkSize(path, size, limits);
    const content = await readFile(path);
    const beside = new Map((await readCompanions(file)).map((one) => [one.name, one.content]));
    const lockfile = readLockfile({
      path,
      content,
      limits,
      format: format ?? file.format,
      sibling: (name) => beside.get(name),
    });
    return { path, lockfile };
  } catch (error) {
    if (error instanceof LockfileError) return { path, error: { code: error.code, message: error.message } };
    if (typeof (error as NodeJS.ErrnoException).syscall !== 'string') throw error;
    // It was there a moment ago, or may not be opened.
    return { path, error: { code: 'not-found', message: `${path}: ${messageOf(error)}` } };
  }
}
