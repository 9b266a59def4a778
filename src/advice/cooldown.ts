import type { StatedCooldown } from '../model/advice/project-statement.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';
import { matchesWildcard } from '../model/wildcard.ts';

const MINUTE = 60_000;

/**
 * When the project's package manager may select a version, in ms since 1970; `undefined` when it may already. A version
 * without a date may be selected: only the registry knows it.
 */
export function waitsUntil(
  name: string,
  { publishedAt }: Pick<PublishedVersion, 'publishedAt'>,
  cooldown: StatedCooldown | undefined,
  now: number,
): number | undefined {
  if (cooldown === undefined || publishedAt === undefined) return undefined;
  if (cooldown.except.some((pattern) => matchesWildcard(withoutVersion(pattern), name))) return undefined;
  const until = Date.parse(publishedAt) + cooldown.minutes * MINUTE;
  return until > now ? until : undefined;
}

/** A version after the name is ignored. */
function withoutVersion(pattern: string): string {
  const at = pattern.indexOf('@', 1);
  return at < 0 ? pattern : pattern.slice(0, at);
}
