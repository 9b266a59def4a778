import { CodedError } from '../model/errors.ts';

/**
 * - `nothing-to-scan`: no lockfile at the paths given.
 * - `insights-unreachable`: no package could be looked up.
 * - `scan-failed`: a job of the scan failed permanently, was rejected or was lost.
 * - `timed-out`: the scan was not done within the time limit.
 */
export type ScanErrorCode = 'nothing-to-scan' | 'insights-unreachable' | 'scan-failed' | 'timed-out';

export class ScanError extends CodedError<ScanErrorCode> {}

/** The settings of the local services are not valid. */
export type ServicesErrorCode = 'settings-invalid';

export class ServicesError extends CodedError<ServicesErrorCode> {}
