import { CodedError } from '../../model/errors.ts';

/**
 * - `event-invalid`: the payload of the event cannot be read.
 * - `host-refused`: the API of the host refused a request, or its answer cannot be read.
 * - `host-missing`: the host does not have what a request names (404).
 * - `host-conflict`: the host refuses what it has already, or what is not valid there (409, 422).
 * - `push-refused`: the branch was not pushed.
 * - `branch-taken`: the branch has a commit of somebody else.
 * - `not-applicable`: the job is none in which a pull request can be opened.
 */
export type CiErrorCode =
  | 'event-invalid'
  | 'host-refused'
  | 'host-missing'
  | 'host-conflict'
  | 'push-refused'
  | 'branch-taken'
  | 'not-applicable';

export class CiError extends CodedError<CiErrorCode> {}
