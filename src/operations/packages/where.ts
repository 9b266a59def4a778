import type { HeldPackage } from '../../model/api/lockhound-api.generated.ts';
import { unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { labelTest } from '../parameters.ts';
import { findPackage } from './places.ts';
import { readPackageQuery } from './query.ts';

/** Lists the places where the fleet holds a package, by one pass over the id lists of all lockfiles. */
export const findPlaces: Operation<'lockhound.packages.where'> = async ({ params, principal }, context) => {
  const { range, ecosystem, label, limit } = params;
  const query = readPackageQuery(params.package, { range, ecosystem });
  const hasLabels = labelTest(label);
  const answer = await findPackage(
    context,
    query,
    (one) => principal.sees(one.target) && hasLabels?.(one) !== false,
  );
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
