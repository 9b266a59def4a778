import { CodedError } from '../../model/errors.ts';

/**
 * An error after which nothing is changed.
 * - `not-applicable`: the changes cannot be made here: the paths, the branch or the system do not allow it.
 * - `changed-meanwhile`: a file that the fix changes was changed by somebody else, or has changes that no commit has.
 */
export class FixError extends CodedError<'not-applicable' | 'changed-meanwhile'> {}
