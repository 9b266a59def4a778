import type { Integrity } from '../../model/lockfile/lockfile.ts';

/** A module version with the checksum of its files. */
export interface ChecksummedModule {
  readonly path: string;
  readonly version: string;
  /** `h1`: Go's SHA-256 of the sorted hashes of the files. */
  readonly integrity: readonly Integrity[];
  readonly line: number;
}

/** `h1:` and a SHA-256 in base64. */
const H1_CHARACTERS = 47;

/**
 * Reads `module version hash` lines. Leaves out versions with a checksum of their `go.mod` only: Go needed them to determine
 * the versions of the build, but not their code. `listed`: these, too, as `path@version`.
 */
export function readChecksums(text: string) {
  const modules: ChecksummedModule[] = [];
  const listed = new Set<string>();
  const malformed: { line: number; text: string }[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const stated = raw.trim();
    if (stated === '') continue;
    const [path = '', version = '', hash = '', more] = stated.split(/\s+/);
    const line = index + 1;
    const isWhole = !hash.startsWith('h1:') || hash.length === H1_CHARACTERS;
    if (hash === '' || more !== undefined || !version.startsWith('v') || !isWhole) {
      malformed.push({ line, text: stated });
      continue;
    }
    const isCode = !version.endsWith('/go.mod');
    listed.add(`${path}@${isCode ? version : version.slice(0, -'/go.mod'.length)}`);
    if (isCode) modules.push({ path, version, integrity: digestOf(hash), line });
  }
  return { modules, malformed, listed };
}

function digestOf(hash: string): readonly Integrity[] {
  const colon = hash.indexOf(':');
  if (colon <= 0) return [];
  return [
    { algorithm: hash.slice(0, colon).toLowerCase(), value: hash.slice(colon + 1), encoding: 'base64' },
  ];
}
