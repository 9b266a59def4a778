import type { Release, ReleaseDetail, ReleaseFacts } from '../../../src/model/signal/release-facts.ts';

/** `2026-03-31T00:21:58Z` in ms since 1970. */
export function at(time: string): number {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new RangeError(`not a time: ${time}`);
  return ms;
}

/** Releases by version and time of publication; the last one is the default. */
export function releasesOf(
  times: Readonly<Record<string, string>>,
  given: Partial<Release> = {},
): readonly Release[] {
  const all = Object.entries(times);
  return all.map(([version, time], index) => ({
    version,
    publishedAt: at(time),
    isDefault: index === all.length - 1,
    isDeprecated: false,
    ...given,
  }));
}

export function detailOf(given: Partial<ReleaseDetail> = {}): ReleaseDetail {
  return { provenances: [], projects: [], advisoryIds: [], ...given };
}

/** A version that was built from a repository, with a verified attestation. */
export function attested(sourceRepository = 'https://github.com/acme/left-pad'): ReleaseDetail {
  return detailOf({ provenances: [{ verified: true, sourceRepository }] });
}

/** Facts of an npm version that was inspected an hour after its publication. */
export function factsOf(
  id: string,
  times: Readonly<Record<string, string>>,
  given: Partial<ReleaseFacts> = {},
): ReleaseFacts {
  const end = id.lastIndexOf('@');
  const [name, version] = [id.slice(0, end), id.slice(end + 1)];
  const releases = given.releases ?? releasesOf(times);
  const published = releases.find((one) => one.version === version)?.publishedAt ?? 0;
  return { key: { system: 'NPM', name, version }, at: published + 3_600_000, releases, ...given };
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The default of `policy.minimumAge`. */
export const POLICY = { minimumAge: 3 * DAY };
