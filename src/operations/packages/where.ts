import type { HeldPackage } from '../../model/api/lockhound-api.generated.ts';
import type { OperationContext } from '../context.ts';
import { unreadableOf } from '../context.ts';
import type { Answer, Call, Operation } from '../operation.ts';
import { durationIn, labelTest, sinceOf } from '../parameters.ts';
import type { Principal } from '../principal.ts';
import { Refusal } from '../refusal.ts';
import type { HolderTest } from './holders.ts';
import { type AskedTime, EVER, findPeriods } from './periods.ts';
import { findPackage, NO_OTHER_VERSIONS, similarNames } from './places.ts';
import { type PackageQuery, readPackageQuery } from './query.ts';

/** Lists the places where the fleet holds a package, by one pass over the id lists of all lockfiles. */
export const where: Operation<'lockhound.packages.where'> = async ({ params, principal }, context) => {
  const { range, ecosystem, label, limit } = params;
  const query = readPackageQuery(params.package, { range, ecosystem });
  const hasLabels = labelTest(label);
  const fits: HolderTest = (one) => principal.sees(one.target) && hasLabels?.(one) !== false;
  const within = durationIn(params.unlessFixedWithin, 'unlessFixedWithin');
  const asked = askedTime(params);
  const time = within === undefined ? asked : { ...(asked ?? EVER), unlessGoneWithin: within / 1_000 };
  if (time !== undefined) return await answerWithPeriods(context, query, { fits, time, limit }, principal);
  const answer = await findPackage(context, query, fits);
  const places: HeldPackage[] = [];
  for await (const place of answer.places(limit)) places.push(place);
  const { targets, lockfiles, otherVersions, notCompared } = answer;
  // Versions and names of packages that only other targets hold are not shown.
  const [versions, similar] = principal.seesAll
    ? [answer.versions, answer.similar]
    : [[...new Set(places.map(({ purl }) => purl))].sort(), []];
  return {
    versions,
    targets,
    lockfiles,
    places,
    otherVersions,
    similar,
    notCompared,
    ...unreadableOf(context, principal),
  };
};

/** The time that is asked for; `undefined` for now. Throws `Refusal`. */
function askedTime(params: Call<'lockhound.packages.where'>['params']): AskedTime | undefined {
  const { ever = false, at, since, until } = params;
  const asked = [ever, at !== undefined, since !== undefined || until !== undefined].filter(Boolean);
  if (asked.length === 0) return undefined;
  if (asked.length > 1)
    throw new Refusal(400, 'invalid-parameter', 'expected one of `ever`, `at`, and `since` with `until`');
  const seconds = (text: string | undefined, name: string) => {
    const time = sinceOf(text, name);
    return time === undefined ? undefined : Math.floor(time / 1_000);
  };
  const moment = seconds(at, 'at');
  if (moment !== undefined) return { since: moment, until: moment };
  const from = seconds(since, 'since') ?? Number.NEGATIVE_INFINITY;
  const to = seconds(until, 'until') ?? Number.POSITIVE_INFINITY;
  if (from <= to) return { since: from, until: to };
  throw new Refusal(400, 'invalid-parameter', '`since` is later than `until`');
}

async function answerWithPeriods(
  context: OperationContext,
  query: PackageQuery,
  asked: Parameters<typeof findPeriods>[2],
  principal: Principal,
): Promise<Answer<'lockhound.packages.where'>> {
  const { versions, ...found } = await findPeriods(context, query, asked);
  const [known, similar] = principal.seesAll
    ? [versions, versions.length > 0 ? [] : await similarNames(context, query)]
    : [[...new Set(found.periods.map(({ purl }) => purl))].sort(), []];
  const answer = { ...found, periods: [...found.periods], notCompared: [...found.notCompared] };
  return {
    ...answer,
    versions: [...known],
    similar: [...similar],
    places: [],
    otherVersions: NO_OTHER_VERSIONS,
    ...unreadableOf(context, principal),
  };
}
