import { basename, resolve } from 'node:path';
import { sourceDate } from '../config/source-date.ts';
import { repeatedSboms } from '../lockfiles/sbom/repeated-sbom.ts';
import type { Lockfile } from '../model/lockfile/lockfile.ts';
import type { BomSource } from '../report/cyclonedx/source.ts';
import { type ParseOptions, parseFiles } from './parse.ts';

export interface SbomOptions extends ParseOptions {
  /** Name of what the lockfiles belong to. Default: that of the first path's folder. */
  readonly name?: string | undefined;
}

/**
 * The `sbom` command: reads lockfiles and looks nothing up. The result contains what could not be read. Throws what `parseFiles`
 * throws, and `ConfigError` (`SOURCE_DATE_EPOCH`).
 */
export async function readForSbom(options: SbomOptions): Promise<BomSource> {
  const { paths, name } = options;
  const at = sourceDate();
  const read: { readonly path: string; readonly lockfile: Lockfile }[] = [];
  const unread: BomSource['unread'][number][] = [];
  for await (const { scanPath: path, lockfile, error } of parseFiles(options)) {
    if (error === undefined) read.push({ path, lockfile });
    else unread.push({ path, error });
  }
  const repeated = repeatedSboms(read);
  const lockfiles = read
    .filter((file) => !repeated.has(file))
    .map(({ path, lockfile }) => ({ path, ...lockfile }));
  return {
    name: name ?? (basename(resolve(paths[0] ?? '.')) || 'target'),
    ...(at === undefined ? {} : { at }),
    lockfiles,
    unread,
    findings: [],
  };
}
