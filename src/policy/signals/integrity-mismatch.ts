import { type Detector, listOf } from './detector.ts';

/** An artifact is indexed some time after its version. */
const INDEXED_MS = 3 * 24 * 3_600_000;

export const integrityMismatch: Detector = {
  name: 'integrity-mismatch',
  title: 'The digest in the lockfile is not that of the version',
  description: 'The digest in the lockfile is that of another version, or no published version has it.',
  help: {
    means:
      'the digest that the lockfile states belongs to another version, or to none. Checked for npm, ' +
      'PyPI, Cargo, Maven and RubyGems, up to eight digests of a package. The checksums of Yarn 2 and ' +
      "later, NuGet's content hash and `h1:` of Go are not digests of the published artifact.",
    sure:
      'sure for a digest of another version. That no version has it counts only when the version is ' +
      'older than three days and the index knows most of three other digests of the same lockfile; ' +
      'otherwise it is unknown.',
    todo:
      "do not install it. Compare the tarball's address and digest in the lockfile with those of the " +
      'registry, and find the commit that changed them.',
  },
  severity: 'high',
  points: { foreign: 4, unknown: 4 },
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
