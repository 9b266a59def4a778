import { CodedError } from '../model/errors.ts';

/**
 * - `nothing-to-scan`: no lockfile at the paths given.
 * - `insights-unreachable`: not one package could be looked up.
 * - `scan-failed`: a job of the scan was given up, rejected or lost.
 * - `timed-out`: the scan was not done within the time that was given.
 */
export type ScanErrorCode = 'nothing-to-scan' | 'insights-unreachable' | 'scan-failed' | 'timed-out';

export class ScanError extends CodedError<ScanErrorCode> {}

/** The settings of the local services do not hold what they should. */
export type ServicesErrorCode = 'settings-invalid';

export class ServicesError extends CodedError<ServicesErrorCode> {}
