import { createDeferredLog } from './compose/deferred-log.ts';
import { openScanner, standaloneConfig } from './compose/scanner.ts';
import { loadOrDefault } from './config/load-or-default.ts';
import { openLocalIndex } from './embedded/insights/local-index.ts';
import { type PurlPackage, readPurl } from './lockfiles/packages/read-purl.ts';
import { readWithCompanions } from './lockfiles/read.ts';
import type { LockfileLimits } from './lockfiles/read-as.ts';
import { closing } from './model/closing.ts';
import type { Lockfile } from './model/lockfile/lockfile.ts';
import type { ScanReport } from './model/scan/verdict.ts';

export { ConfigError, type ConfigErrorCode } from './config/errors.ts';
export { LockfileError, type LockfileErrorCode } from './lockfiles/errors.ts';
export type { PurlPackage } from './lockfiles/packages/read-purl.ts';
export type { LockfileLimits } from './lockfiles/read-as.ts';
export type { LockedPackage, Lockfile, Problem } from './model/lockfile/lockfile.ts';
export type { Change } from './model/scan/change.ts';
export type { Finding } from './model/scan/finding.ts';
export type { Gap } from './model/scan/gap.ts';
export type { Inventory } from './model/scan/inventory.ts';
export type { ScanReport, Verdict } from './model/scan/verdict.ts';

/** A file with its content: text, or bytes in UTF-8 or UTF-16. */
export interface FileContent {
  /** The path below the target's root, with forward slashes. A companion's path is relative to the folder of its lockfile. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** A lockfile with the files that its format is read together with, such as `package.json` and `go.sum`. */
export interface LockfileFile extends FileContent {
  /** The name of the format. Default: it is detected by the path, then by the content. */
  readonly format?: string;
  readonly companions?: readonly FileContent[];
}

export interface ScanOptions {
  readonly lockfiles: readonly LockfileFile[];
  /** The id of the target in the report, at most 200 characters. Default `target`. */
  readonly target?: string;
  /** The path of a configuration file. Default: the defaults, with the variables of the environment. */
  readonly configFile?: string;
  /** Whether the bundled data answers in place of the package-insights API. Default false. */
  readonly local?: boolean;
  /** Aborts the scan, which then rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * Reads one lockfile of any format, without a network. An entry that cannot be read is in `problems`. Throws
 * `LockfileError` when nothing of the file can be read. `limits`: 100 MiB and 500,000 packages by default.
 */
export function readLockfile(file: LockfileFile, limits?: Partial<LockfileLimits>): Lockfile {
  return readWithCompanions({ ...requestOf(file), ...(limits === undefined ? {} : { limits }) });
}

/** Reads a package URL into its parts. `undefined`: the text is not a valid one. */
export function parsePurl(text: string): PurlPackage | undefined {
  const read = readPurl(text, '');
  return typeof read === 'string' ? undefined : read;
}

/**
 * Scans the lockfiles of a target in this process, without Redis, as `lockhound scan` does: it stores nothing and sends no
 * alerts. A package that could not be looked up has the outcome `failed`, and `verdict.gaps` says why; the scan
 * does not reject for it. Throws `ConfigError` for an invalid configuration.
 */
export async function scan(options: ScanOptions): Promise<ScanReport> {
  const { lockfiles, target = 'target', configFile, local = false } = options;
  const signal = options.signal ?? new AbortController().signal;
  const loaded = standaloneConfig(await loadOrDefault(configFile));
  const scanner = openScanner(loaded, {
    log: createDeferredLog(loaded),
    signal,
    local: local ? await openLocalIndex() : undefined,
    onProgress() {},
    onWait() {},
  });
  return await closing(scanner, (opened) =>
    opened.scan({ target: { id: target }, lockfiles: lockfiles.map(requestOf) }),
  );
}

function requestOf({ path, content, format, companions = [] }: LockfileFile) {
  return {
    path,
    content: bytesOf(content),
    format,
    companions: companions.map((one) => ({ name: one.path, content: bytesOf(one.content) })),
  };
}

function bytesOf(content: string | Uint8Array): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
