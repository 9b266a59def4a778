import { LockfileError } from '../errors.ts';

/** Throws `LockfileError` (`wrong-format`, `unsupported-version`) for a version that is not 2.x. */
export function checkSpdxVersion(version: string, path: string): void {
  if (/^SPDX-2\.\d+$/.test(version)) return;
  const shown = JSON.stringify(version.slice(0, 40));
  if (/^SPDX-\d/.test(version)) {
    throw new LockfileError(
      'unsupported-version',
      `${path}: version ${shown} is not SPDX-2.x, which is read`,
    );
  }
  throw new LockfileError('wrong-format', `${path}: ${shown} is no version of SPDX`);
}
