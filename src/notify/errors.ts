import { CodedError } from '../model/errors.ts';

/**
 * Of the webhook-integration API ("Errors" in its specification): `bad-request`, `authentication`, `not-found`,
 * `too-many-requests`, `unavailable` (no answer, or a failure of its own), `contract` (an answer that it does not
 * promise), `conflict` (the name is taken).
 * Of a definition: `template-invalid`, `variable-unknown`, `header-invalid`, `url-invalid`, `not-provisioned` (it has not
 * been applied yet).
 * Of a receiver: `receiver-refused` (it answered, and not with success), `receiver-unreachable` (no answer),
 * `receiver-gone` (410: it wants no more), `receiver-too-large` (413: a shorter one may go through).
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
  | 'receiver-refused'
  | 'receiver-unreachable'
  | 'receiver-gone'
  | 'receiver-too-large';

/** Messages hold no secret values: what other systems say is masked before it gets here. */
export class NotifyError extends CodedError<NotifyErrorCode> {}
