import { CodedError } from '../model/errors.ts';

/**
 * `address-invalid`: a Redis URL that cannot be used. `unreachable`: no Redis answers. `refused`: it answers and
 * does not let us in. `evicting`: it drops keys when its memory is full. `blob-*`: a lockfile's content. `state-corrupt`: a stored value that is not ours or damaged.
 */
export type StoreErrorCode =
  | 'address-invalid'
  | 'unreachable'
  | 'refused'
  | 'evicting'
  | 'blob-missing'
  | 'blob-corrupt'
  | 'blob-too-large'
  | 'state-corrupt';

/** What goes wrong between us and Redis. Addresses are given without user name and password. */
export class StoreError extends CodedError<StoreErrorCode> {}
