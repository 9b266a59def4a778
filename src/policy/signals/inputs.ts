import type { Inspection } from '../../model/signal/inspection.ts';
import type { ReleaseFacts } from '../../model/signal/release-facts.ts';

/** How much of each fact an inspection saw. A fact that it did not see is absent. */
export type Inputs = NonNullable<Inspection['inputs']>;

/** The facts of the list of releases. */
export const LIST = ['releases', 'publication dates', 'deprecations'] as const;
/** The facts of the versions themselves. */
export const DETAILS = [
  'details',
  'provenances',
  'verified provenances',
  'advisories',
  'source projects',
] as const;

/** Counts the facts of a version. A list without the version itself, and details without its own, are not known. */
export function inputsOf({ key, releases, details }: ReleaseFacts): Inputs {
  const isListed = releases.some(({ version }) => version === key.version);
  const list = isListed
    ? {
        releases: releases.length,
        'publication dates': releases.filter(({ publishedAt }) => publishedAt !== undefined).length,
        deprecations: releases.filter(({ isDeprecated }) => isDeprecated).length,
      }
    : {};
  if (details?.has(key.version) !== true) return list;
  const all = [...details.values()];
  return {
    ...list,
    details: all.length,
    provenances: all.reduce((sum, { provenances }) => sum + provenances.length, 0),
    'verified provenances': all.reduce(
      (sum, { provenances }) => sum + provenances.filter(({ verified }) => verified).length,
      0,
    ),
    advisories: all.reduce((sum, { advisoryIds }) => sum + advisoryIds.length, 0),
    'source projects': all.reduce((sum, { projects }) => sum + projects.length, 0),
  };
}

/** The facts of which an inspection sees less than an earlier one saw. Releases, deprecations and attestations do not become fewer. */
export function lostInputs(before: Inputs, now: Inputs): ReadonlySet<string> {
  return new Set(Object.keys(before).filter((name) => (now[name] ?? 0) < (before[name] ?? 0)));
}

/** The most that inspections saw: later ones are compared with that. */
export function mostInputs(before: Inputs, now: Inputs): Inputs {
  const lost = lostInputs(before, now);
  return { ...now, ...Object.fromEntries(Object.entries(before).filter(([name]) => lost.has(name))) };
}

/** Returns what an inspection does not know: what it could not get, and what the index does not have or no longer states. */
export function unknownIn(failed: Inspection['unknown'], before: Inputs, now: Inputs): Inspection['unknown'] {
  const named = new Set(failed.map(({ fact }) => fact));
  const lost = lostInputs(before, now);
  const others = [LIST, DETAILS].flatMap((names) => {
    const [whole] = names;
    if (named.has(whole)) return [];
    if (now[whole] === undefined) return [{ fact: whole, reason: 'the index does not have the version' }];
    return names.flatMap((fact) =>
      lost.has(fact)
        ? [{ fact, reason: `the index states ${now[fact] ?? 0} where it stated ${before[fact] ?? 0}` }]
        : [],
    );
  });
  return [...failed, ...others];
}
