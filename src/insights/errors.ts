import { CodedError } from '../model/errors.ts';

/**
 * `not-found`: the index has no such thing. `invalid`: the request is refused as it is. `rate-limited` and
 * `unavailable`: later it may work. `contract`: what came back is not what the API promises.
 */
export type InsightsErrorCode = 'not-found' | 'invalid' | 'rate-limited' | 'unavailable' | 'contract';

export class InsightsError extends CodedError<InsightsErrorCode> {}
