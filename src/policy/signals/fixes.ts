import type { ReleaseFacts } from '../../model/signal/release-facts.ts';
import { lineOf, releaseAmong } from './detector.ts';

/** A version that its authors take back soon is repaired by the one after it. */
const SOON_MS = 7 * 24 * 3_600_000;

/**
 * Whether the version repairs another one of its line: an advisory affects the version before it and not this one, or the version
 * before it was deprecated within days. An honest repair of several lines looks like an attack otherwise.
 */
export function isFix({ key, releases, details }: ReleaseFacts): boolean {
  const found = releaseAmong(releases, key.version);
  const line = (found?.before ?? [])
    .filter(({ version }) => lineOf(version) === lineOf(key.version))
    .slice(-2);
  const last = line.at(-1);
  if (found === undefined || last === undefined || found.locked.isDeprecated) return false;
  if (last.isDeprecated && found.locked.publishedAt - last.publishedAt <= SOON_MS) return true;
  const own = details?.get(key.version);
  if (own === undefined) return false;
  return line.some(({ version }) =>
    (details?.get(version)?.advisoryIds ?? []).some((id) => !own.advisoryIds.includes(id)),
  );
}
