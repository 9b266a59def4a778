import { CodedError } from '../model/errors.ts';

/**
 * A fault of Redis, or of what is stored there. Messages name addresses without user name and password.
 * - `address-invalid`: a Redis URL that cannot be used.
 * - `unreachable`: no Redis answers. `refused`: it refuses the credentials.
 * - `evicting`: it drops keys when its memory is full.
 * - `shards-differ`: the targets are spread over another number of shards. `shards-moving`: that number is being changed.
 * - `scan-exists`: another scan of the target has the id.
 * - `release-exists`: the release of the target has other lockfiles.
 * - `blob-*`: the content of a lockfile.
 * - `ledger-changed`: others wrote to the ledger of a target while its history was imported.
 * - `storage-away`: the storage of old blocks of ledgers does not answer or is not configured.
 * - `state-corrupt`: a stored value that is damaged or is not of its kind. `state-newer`: a newer release wrote it.
 */
export class StoreError extends CodedError<
  | 'address-invalid'
  | 'unreachable'
  | 'refused'
  | 'evicting'
  | 'shards-differ'
  | 'shards-moving'
  | 'scan-exists'
  | 'release-exists'
  | 'blob-missing'
  | 'blob-corrupt'
  | 'blob-too-large'
  | 'ledger-changed'
  | 'storage-away'
  | 'state-corrupt'
  | 'state-newer'
> {}
