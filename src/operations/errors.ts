import { CodedError } from '../model/errors.ts';

/**
 * - `query-invalid`: a package, version or range that cannot be read.
 * - `nothing-stored`: no target has been scanned yet.
 * - `target-unknown`: there is no target with this id.
 * - `too-large`: a report of these targets does not fit into memory.
 * - `nothing-lost`: the service states everything that it stated before, as far as is known.
 * - `changed-meanwhile`: scans changed the target each time it was to be removed.
 */
export type FleetErrorCode =
  | 'query-invalid'
  | 'nothing-stored'
  | 'target-unknown'
  | 'too-large'
  | 'nothing-lost'
  | 'changed-meanwhile';

/** A question about the fleet that cannot be answered. */
export class FleetError extends CodedError<FleetErrorCode> {}
