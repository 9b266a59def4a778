import type { Detector } from './detector.ts';
import { listOf } from './words.ts';

/** An artifact is indexed some time after its version. */
const INDEXED_MS = 3 * 24 * 3_600_000;

/**
 * The lockfile's digest is that of another version, or of none. That no version has it proves something only where the index knows
 * digests of the same kind: otherwise it is unknown.
 */
export const integrityMismatch: Detector = {
  signal: 'integrity-mismatch',
  detect({ key, at, releases, digests = [], knowsDigests = false }) {
    const foreign = digests.find(
      ({ versions }) =>
        versions !== undefined &&
        !versions.some(({ name, version }) => name === key.name && version === key.version),
    );
    if (foreign !== undefined) {
      const owners = (foreign.versions ?? []).map(({ name, version }) => `${name} ${version}`);
      return {
        grade: 'foreign',
        text: `is locked with the digest ${shorten(foreign.digest)}, which belongs to ${listOf(owners)}`,
      };
    }
    const publishedAt = releases.find(({ version }) => version === key.version)?.publishedAt;
    const isIndexed = publishedAt !== undefined && at - publishedAt >= INDEXED_MS;
    const [first] = digests;
    if (first === undefined || !knowsDigests || !isIndexed) return undefined;
    if (digests.some(({ versions }) => versions !== undefined)) return undefined;
    return {
      grade: 'unknown',
      text: `is locked with the digest ${shorten(first.digest)}, which no published version has`,
    };
  },
};

function shorten(digest: string): string {
  return digest.length <= 30 ? digest : `${digest.slice(0, 29)}…`;
}
