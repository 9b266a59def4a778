import { CodedError } from '../model/errors.ts';

/**
 * The platform's named outcomes: `bad-request`, `authentication`, `not-found`, `too-many-requests`; `conflict` for "already
 * exists", `unavailable` when it cannot be reached, `contract` when its answer is none of the API's. What is wrong with
 * a definition: `template-invalid`, `header-invalid`, `url-invalid`. What came of a delivery: `not-provisioned`,
 * `receiver-unreachable`, `receiver-refused`, `receiver-gone`.
 */
export type NotifyErrorCode =
  | 'bad-request'
  | 'authentication'
  | 'not-found'
  | 'too-many-requests'
  | 'conflict'
  | 'unavailable'
  | 'contract'
  | 'site-unknown'
  | 'template-invalid'
  | 'header-invalid'
  | 'url-invalid'
  | 'not-provisioned'
  | 'receiver-unreachable'
  | 'receiver-refused'
  | 'receiver-gone';

export class NotifyError extends CodedError<NotifyErrorCode> {}
