import { join } from 'node:path';
import { LockfileError } from '../../src/lockfiles/errors.ts';
import { readLockfile } from '../../src/lockfiles/read.ts';
import type { LockedPackage, Lockfile } from '../../src/model/lockfile/lockfile.ts';

/** Real files next to the repository. Tests that need them are skipped where they are missing. */
export const CORPORA =
  process.env['LOCKHOUND_CORPORA'] ?? join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora');

/** Reads a text as a file of a name, with companions (`../pom.xml`). */
export function readText(path: string, text: string, given: Readonly<Record<string, string>> = {}): Lockfile {
  const find = (name: string) => {
    const content = Object.hasOwn(given, name) ? given[name] : undefined;
    return content === undefined ? undefined : Buffer.from(content);
  };
  return readLockfile({
    path,
    content: Buffer.from(text),
    companion: find,
  });
}

/** The error of reading a text. */
export function failureOf(path: string, text: string, format?: string): LockfileError {
  try {
    readLockfile({ path, content: Buffer.from(text), ...(format === undefined ? {} : { format }) });
  } catch (error) {
    if (error instanceof LockfileError) return error;
    throw error;
  }
  throw new Error('was read');
}

export function byName(packages: readonly LockedPackage[]): ReadonlyMap<string, LockedPackage> {
  return new Map(packages.map((one) => [one.name, one]));
}
