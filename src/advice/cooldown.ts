import type { StatedCooldown } from '../model/advice/project-statement.ts';
import type { PublishedVersion } from '../model/ports/insights.ts';

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
  if (cooldown.except.some((pattern) => matches(name, pattern))) return undefined;
  const until = Date.parse(publishedAt) + cooldown.minutes * MINUTE;
  return until > now ? until : undefined;
}

/** `*` stands for any text; a version after the name is ignored. */
function matches(name: string, pattern: string): boolean {
  const parts = pattern.replace(/(?<=.)@.*$/, '').split('*');
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === 0 ? (name.startsWith(part) ? 0 : -1) : name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = parts.at(-1) ?? '';
  return parts.length === 1 ? at === name.length : name.endsWith(last);
}
