import { CodedError } from '../model/errors.ts';

type AdviceErrorCode =
  /** The limit of requests was reached before the advice was complete. */
  | 'request-limit'
  /** The package-insights API did not answer. */
  | 'no-answer';

/** Why the advice on a package could not be computed. */
export class AdviceError extends CodedError<AdviceErrorCode> {}
