import { CodedError } from '../../model/errors.ts';

/**
 * - `event-invalid`: the payload of the event cannot be read.
 * - `host-refused`: the API of the host refused a request or did not answer.
 */
export type CiErrorCode = 'event-invalid' | 'host-refused';

export class CiError extends CodedError<CiErrorCode> {}
