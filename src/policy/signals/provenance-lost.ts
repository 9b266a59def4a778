import type { Provenance, ReleaseDetail } from '../../model/signal/release-facts.ts';
import { DETAILS, type Detector, LIST, lineOf, listOf, releaseAmong } from './detector.ts';

/** Versions before the locked one that are compared: more would show habits that were given up. */
export const COMPARED_RELEASES = 5;

/**
 * Most of the last versions of the line carried a verified attestation, and the locked one has none, one that does not verify, or one
 * of another repository. A line that never had one lost nothing. A valid one proves nothing.
 */
export const provenanceLost: Detector = {
  name: 'provenance-lost',
  title: 'A locked version has no provenance, and those before it have',
  description: 'The versions before carried a verified provenance, and this one carries none.',
  help: {
    means:
      'most of the last five versions of the line carried a verified attestation or SLSA provenance, ' +
      'and this version has none, one that does not verify, or one of another repository. Compared ' +
      'within one major line and in the order of publication.',
    sure: 'weak alone: a broken pipeline and a release by hand look the same.',
    todo: 'ask the project whether it published the version.',
  },
  points: { unverified: 3, missing: 2, 'other-repository': 2 },
  reads: [...LIST, ...DETAILS],
  detect({ key, releases, details }) {
    const own = details?.get(key.version);
    const before = releaseAmong(releases, key.version)?.before ?? [];
    const line = before.filter(({ version }) => lineOf(version) === lineOf(key.version));
    const compared = line.slice(-COMPARED_RELEASES).flatMap(({ version }) => {
      const detail = details?.get(version);
      return detail === undefined ? [] : [{ version, detail }];
    });
    const attested = compared.filter(({ detail }) => repositoriesOf(detail).length > 0);
    const last = attested.at(-1);
    if (own === undefined || last === undefined || 2 * attested.length < compared.length) return undefined;
    const repositories = repositoriesOf(own);
    const known = new Set(attested.flatMap(({ detail }) => repositoriesOf(detail)));
    if (repositories.length === 0) {
      return own.provenances.length === 0
        ? { grade: 'missing', text: `has no provenance, and ${last.version} had` }
        : { grade: 'unverified', text: `has a provenance that does not verify; that of ${last.version} did` };
    }
    if (repositories.some((one) => known.has(one))) return undefined;
    return {
      grade: 'other-repository',
      text: `was built from ${listOf(repositories)}, and ${last.version} from ${listOf([...known])}`,
    };
  },
};

function repositoriesOf({ provenances }: ReleaseDetail): readonly string[] {
  const verified = provenances.filter(({ verified: isVerified }) => isVerified);
  return [...new Set(verified.map(repositoryOf))];
}

/** `github.com/owner/name`, whatever form the attestation has. */
function repositoryOf({ sourceRepository }: Provenance): string {
  return sourceRepository
    .toLowerCase()
    .replace(/^(?:git\+)?(?:https?|ssh|git):\/\/(?:[^@/]*@)?/, '')
    .replace(/[@#?].*$/s, '')
    .replace(/(?:\.git)?\/?$/, '');
}
