import { systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Integrity, LockedPackage } from '../../model/lockfile/lockfile.ts';

const BYTES: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };
/** The usual digest of npm, as it is written without unused bits. */
const SHA512 = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
/** A Python package has a digest for each of its files. */
const MAX_DIGESTS = 8;

/**
 * The digests of a package that the index may know, as `sha512-<Base64>`. Others are not of the published artifact: the checksum of
 * Yarn 2 and later, the content hash of NuGet, `h1:` of Go (field notes, "Hashes").
 */
export function statedDigests({
  ecosystem,
  integrity,
}: Pick<LockedPackage, 'ecosystem' | 'integrity'>): readonly string[] {
  const system = systemOf(ecosystem);
  if (system === undefined || system === 'NUGET' || system === 'GO') return [];
  const usable: string[] = [];
  for (const one of integrity) {
    if (system === 'NPM' && one.algorithm === 'sha512' && one.encoding === 'hex') continue;
    const digest = digestOf(one);
    if (digest !== undefined) usable.push(digest);
  }
  return usable.length < 2 ? usable : [...new Set(usable)].slice(0, MAX_DIGESTS);
}

function digestOf({ algorithm, value, encoding }: Integrity): string | undefined {
  if (encoding === 'base64' && algorithm === 'sha512' && SHA512.test(value)) return `sha512-${value}`;
  const digest = Buffer.from(value, encoding);
  if (digest.length === 0 || digest.length !== BYTES[algorithm]) return undefined;
  return `${algorithm}-${digest.toString('base64')}`;
}
