import { CodedError } from '../model/errors.ts';

/**
 * - `not-found`: the folder, URL or repository does not exist.
 * - `no-such-ref`: the repository has no such branch or tag.
 * - `refused`: the credentials, or the missing ones, are refused. Many services also answer so for what does not exist.
 * - `no-lockfiles`: there is no lockfile in it.
 * - `unreadable`: none of its lockfiles can be read.
 * - `too-large`: it exceeds a limit.
 * - `redirected`: it leads somewhere else too often, or where it may not lead.
 * - `address-refused`: its address is not public and not in `watch.allowAddresses`.
 * - `credentials-invalid`: the named credentials are not configured, or may not be sent to this host.
 * - `git-missing`: the worker has no program `git`.
 * - `unreachable`, `timed-out`: it did not answer, or not in time; may succeed later.
 * - `failed`: any other fault.
 */
export type SourceErrorCode =
  | 'not-found'
  | 'no-such-ref'
  | 'refused'
  | 'no-lockfiles'
  | 'unreadable'
  | 'too-large'
  | 'redirected'
  | 'address-refused'
  | 'credentials-invalid'
  | 'git-missing'
  | 'unreachable'
  | 'timed-out'
  | 'failed';

/** Why a source could not be read. The message names the source, without credentials. */
export class SourceError extends CodedError<SourceErrorCode> {}
