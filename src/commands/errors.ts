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

const MAX_NAMED = 3;

/** The text of `nothing-to-scan` where no path has a lockfile. `manifests`: the paths of manifests that none belongs to. */
export function noLockfileIn(paths: readonly string[], manifests: readonly string[] = []): string {
  const more = manifests.length > MAX_NAMED ? ` and ${manifests.length - MAX_NAMED} more` : '';
  const named = manifests.slice(0, MAX_NAMED).join(', ');
  const without = named === '' ? '' : ` (${named}${more}: no lockfile belongs to it)`;
  return `no lockfile found in ${paths.join(', ')}${without}; name a file, or see \`lockhound parse --formats\` for the supported formats`;
}

/** The settings of the local services are not valid. */
export class ServicesError extends CodedError<'settings-invalid'> {}

/** `target-unknown`: no scan of the target has been recorded. `history-empty`: no commit is as recent as was asked for. */
export class LedgerError extends CodedError<'target-unknown' | 'history-empty'> {}
