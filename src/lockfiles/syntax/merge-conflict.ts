import { LockfileError } from '../errors.ts';

const MARK = /^(?:<{7}|>{7}) .*$/m;

/** The fault of a text with a merge conflict marker, at the first one; `undefined` without a marker. */
export function conflictIn(text: string, path: string, cause: unknown): LockfileError | undefined {
  const at = MARK.exec(text)?.index;
  if (at === undefined) return undefined;
  const line = text.slice(0, at).split('\n').length;
  return new LockfileError('syntax', `${path}:${line}: unresolved merge conflict`, { cause });
}
