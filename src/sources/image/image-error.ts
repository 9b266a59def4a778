import { CodedError } from '../../model/errors.ts';

/**
 * - `not-an-image`: neither an OCI layout nor an archive of one or of Docker.
 * - `damaged`: cut off, or something in it does not fit its digest or its format.
 * - `too-large`: it exceeds a limit.
 * - `no-such-platform`: the image has no manifest for the platform.
 */
export class ImageError extends CodedError<'not-an-image' | 'damaged' | 'too-large' | 'no-such-platform'> {}
