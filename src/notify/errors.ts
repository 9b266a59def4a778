import { CodedError } from '../model/errors.ts';

/**
 * From the webhook-integration API ("Errors" in its specification): `bad-request`, `authentication`, `not-found`,
 * `too-many-requests`, `unavailable` (no answer, or a server error), `contract` (an undocumented answer), `conflict` (the
 * name is already used).
 * From a definition: `template-invalid`, `variable-unknown`, `header-invalid`, `url-invalid`, `not-provisioned` (not
 * applied yet), `not-applied` (the platform differs from what is configured).
 * From a receiver: `receiver-refused` (an error status), `receiver-unreachable` (no answer), `receiver-gone` (410),
 * `receiver-too-large` (413: a smaller alert may be accepted).
 */
export type NotifyErrorCode =
  | 'bad-request'
  | 'authentication'
  | 'not-found'
  | 'too-many-requests'
  | 'unavailable'
  | 'contract'
  | 'conflict'
  | 'template-invalid'
  | 'variable-unknown'
  | 'header-invalid'
  | 'url-invalid'
  | 'not-provisioned'
  | 'not-applied'
  | 'receiver-refused'
  | 'receiver-unreachable'
  | 'receiver-gone'
  | 'receiver-too-large';

/** Messages hold no secret values: text from other systems is masked first. */
export class NotifyError extends CodedError<NotifyErrorCode> {}
