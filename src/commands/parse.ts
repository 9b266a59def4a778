import { readFile } from '../files/read-file.ts';
import { FORMATS } from '../lockfiles/catalog.ts';
import { readCompanions } from '../lockfiles/companions.ts';
import { type DiscoveredLockfile, discoverLockfiles } from '../lockfiles/discover.ts';
import { DEFAULT_LIMITS, type LockfileLimits, RAISE_LIMIT, requireFormat } from '../lockfiles/read.ts';
import {
  COMMAND_INLINE_BYTES,
  createLockfileReader,
  type LockfileReader,
} from '../lockfiles/threads/lockfile-reader.ts';
import { CodedError } from '../model/errors.ts';
import type { FormatDescription, ParsedFile } from '../model/scan/parsed-file.ts';
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
  const discovery = {
    ...(format === undefined ? {} : { format }),
    ...(signal === undefined ? {} : { signal }),
  };
  const reader = createLockfileReader({ threads: 1, inlineBytes: COMMAND_INLINE_BYTES });
  try {
    for await (const file of discoverLockfiles(paths, discovery)) {
      count += 1;
      if (file.error === undefined) yield await parseFile(file, reader, { ...options, limits });
      else yield { path: file.path, error: { code: file.error.code, message: file.error.message } };
    }
  } finally {
    await reader.close();
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

async function parseFile(
  file: DiscoveredLockfile,
  reader: LockfileReader,
  { format, limits, signal }: Pick<ParseOptions, 'format' | 'signal'> & { readonly limits: LockfileLimits },
): Promise<ParsedFile> {
  const { path, within } = file;
  try {
    const content = await readFile(path, { maxBytes: limits.maxBytes, remedy: RAISE_LIMIT, within });
    const companions = await readCompanions(file, content);
    const request = { path, content, limits, format: format ?? file.format, companions };
    const lockfile = await reader.read(request, signal);
    return { path, lockfile };
  } catch (error) {
    if (error instanceof CodedError) return { path, error: { code: error.code, message: error.message } };
    throw error;
  }
}
