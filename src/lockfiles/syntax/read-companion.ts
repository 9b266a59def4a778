import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { decodeText } from './decode-text.ts';

/**
 * Returns what `read` makes of the companion at a path relative to the lockfile; `undefined` when it is not available or
 * cannot be read. A companion only adds facts, so its errors are not errors of the lockfile.
 */
export function readCompanion<T>(
  { companion }: LockfileInput,
  name: string,
  read: (text: string) => T,
): T | undefined {
  const content = companion?.(name);
  if (content === undefined) return undefined;
  try {
    return read(decodeText(content, name));
  } catch (error) {
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}
