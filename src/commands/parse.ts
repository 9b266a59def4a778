import { readFile } from '../files/read-file.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles, type UnreadPath } from '../lockfiles/discover.ts';
import { isOnlyForExceptions } from '../lockfiles/exceptions/catalog.ts';
import { requireFormat } from '../lockfiles/known-formats.ts';
import { DEFAULT_LIMITS, type LockfileLimits, RAISE_LIMIT } from '../lockfiles/read-as.ts';
import { createLockfileReader, type LockfileReader } from '../lockfiles/threads/lockfile-reader.ts';
import { COMMAND_INLINE } from '../lockfiles/threads/reading-limits.ts';
import { CodedError } from '../model/errors.ts';
import type { FormatDescription, ParsedFile } from '../model/lockfile/parsed-file.ts';
import { noLockfileIn, ScanError } from './errors.ts';
import { trackedHere } from './lockfile-paths.ts';

export interface ParseOptions {
  /** Lockfiles, or folders that are searched for them. */
  readonly paths: readonly string[];
  readonly format?: string | undefined;
  readonly limits?: Partial<LockfileLimits>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads lockfiles one after another. The results contain files and paths that cannot be read. Throws `LockfileError`
 * (`unknown-format`), and `ScanError` (`nothing-to-scan`) when the folders contain no lockfile.
 */
export async function* parseFiles(options: ParseOptions): AsyncGenerator<ParsedFile> {
  const { paths, format, signal } = options;
  requireFormat('--as', format);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let count = 0;
  const reader = createLockfileReader({ threads: 1, inline: COMMAND_INLINE });
  try {
    for await (const file of discoverLockfiles(paths, { format, signal, tracked: trackedHere(signal) })) {
      count += 1;
      if (file.error === undefined) yield await parseFile(file, reader, { ...options, limits });
      else yield { ...namesOf(file), error: { code: file.error.code, message: file.error.message } };
    }
  } finally {
    await reader.close();
  }
  if (count === 0) throw new ScanError('nothing-to-scan', noLockfileIn(paths));
}

/** The supported formats, and which facts each contains. */
export async function describeFormats(): Promise<readonly FormatDescription[]> {
  const { FORMATS } = await import('../lockfiles/catalog.ts');
  return FORMATS.map(({ name, title, ecosystem, fileNames, facts }) => ({
    name,
    title,
    ecosystem: ecosystem ?? 'any',
    fileNames,
    ...facts,
  }));
}

async function parseFile(
  file: DiscoveredLockfile,
  reader: LockfileReader,
  { format, limits, signal }: Pick<ParseOptions, 'format' | 'signal'> & { readonly limits: LockfileLimits },
): Promise<ParsedFile> {
  const { path, within } = file;
  try {
    const content = await readFile(path, { maxBytes: limits.maxBytes, remedy: RAISE_LIMIT, within });
    const found = await readCompanions(file, content);
    const companions = found.filter(({ name }) => !isOnlyForExceptions(name));
    const request = { path, content, limits, format: format ?? file.format, companions };
    const lockfile = await reader.read(request, signal);
    return { ...namesOf(file), lockfile };
  } catch (error) {
    if (error instanceof CodedError) {
      return { ...namesOf(file), error: { code: error.code, message: error.message } };
    }
    throw error;
  }
}

function namesOf({ path, relativePath }: DiscoveredLockfile | UnreadPath) {
  return { path, scanPath: relativePath };
}
