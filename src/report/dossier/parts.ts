import type { DossierPackage, DossierStatement } from '../../model/api/lockhound-api.generated.ts';

/** The target, or the release with the name of its target. */
export function productName({ target, release }: Pick<DossierStatement, 'target' | 'release'>): string {
  return release === undefined ? target : `${release.target} ${release.release}`;
}

/** `affected`, `not affected`, `fixed`, `under investigation`. */
export function statusText({ status }: Pick<DossierStatement, 'status'>): string {
  return status.replaceAll('_', ' ');
}

/** Since when, and until when, a product holds a package. A release holds its packages since it was recorded. */
export function timeOfPackage(
  { from, until, notKnownBefore, notKnownAfter }: DossierPackage,
  { release }: Pick<DossierStatement, 'release'>,
): string {
  const commit = from?.commit === undefined ? '' : ` (commit ${from.commit.slice(0, 12)})`;
  const before = release === undefined ? 'not known before' : 'since the release, recorded';
  const since =
    from === undefined ? `${before} ${dayTime(notKnownBefore)}` : `since ${dayTime(from.at)}${commit}`;
  if (until !== undefined) return `${since}, until ${dayTime(until.at)}`;
  return notKnownAfter === undefined ? since : `${since}, not known after ${dayTime(notKnownAfter)}`;
}

/** `2026-01-31 06:00 UTC`. */
export function dayTime(time: string | undefined): string {
  return time === undefined ? 'its last scan' : `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
