import { CodedError } from '../model/errors.ts';

/**
 * - `nothing-to-scan`: no lockfile at the paths given.
 * - `invalid-request`: the name of the target, or the image, is not valid.
 * - `insights-unreachable`: no package could be looked up.
 * - `scan-failed`: a step of the scan failed, or its job was rejected or lost.
 */
export class ScanError extends CodedError<
  'nothing-to-scan' | 'invalid-request' | 'insights-unreachable' | 'scan-failed'
> {}

/** The text of `nothing-to-scan` where no path has a lockfile. */
export function noLockfileIn(paths: readonly string[]): string {
  return `no lockfile found in ${paths.join(', ')}; name a file, or see \`lockhound parse --formats\` for the supported formats`;
}

/** The settings of the local services are not valid. */
export class ServicesError extends CodedError<'settings-invalid'> {}

/** `target-unknown`: no scan of the target has been recorded. `history-empty`: no commit is as recent as was asked for. */
export class LedgerError extends CodedError<'target-unknown' | 'history-empty'> {}
