import type { Integrity } from '../../model/scan/lockfile.ts';

/** A module version with the checksum of its code. */
export interface ChecksummedModule {
  readonly path: string;
  readonly version: string;
  /** `h1`: SHA-256 over the sorted hashes of its files, as Go defines it. */
  readonly integrity: readonly Integrity[];
  readonly line: number;
}

export interface Checksums {
  readonly modules: readonly ChecksummedModule[];
  readonly malformed: readonly { readonly line: number; readonly text: string }[];
}

/**
 * Reads `module version hash` lines. Versions of which only the `go.mod` was needed, to work out the build list, are left
 * out: their code is never used.
 */
export function readChecksums(text: string): Checksums {
  const modules: ChecksummedModule[] = [];
  const malformed: { line: number; text: string }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const stated = raw.trim();
    if (stated === '') continue;
    const [path = '', version = '', hash = '', more] = stated.split(/\s+/);
    const line = index + 1;
    if (hash === '' || more !== undefined || !version.startsWith('v')) malformed.push({ line, text: stated });
    else if (!version.endsWith('/go.mod')) modules.push({ path, version, integrity: digestOf(hash), line });
  }
  return { modules, malformed };
}

function digestOf(hash: string): readonly Integrity[] {
  const colon = hash.indexOf(':');
  if (colon <= 0) return [];
  return [
    { algorithm: hash.slice(0, colon).toLowerCase(), value: hash.slice(colon + 1), encoding: 'base64' },
  ];
}
