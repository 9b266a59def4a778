import type { PackageHolder, PackageVersions } from '../../../model/api/lockhound-api.generated.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  isGroup: true,
  verbs: {
    package: {
      method: 'lockhound.packages.versions',
      args: ['package'],
      isFound: ({ targets }: PackageVersions) => targets.length > 0,
      columns: { versions: 'version publishedAt firstSeenAt targets signals score' },
      follow: {
        changes(before: PackageVersions, { targets, versions }: PackageVersions) {
          const moves = movesBetween(before.targets, targets);
          return moves.length === 0 ? undefined : { at: new Date().toISOString(), moves, versions };
        },
      },
    },
  },
  examples: `
Examples:
  lockhound watch package left-pad                    versions, when each was first seen, and who holds back
  lockhound watch package left-pad --follow           and then every target that takes or leaves a version
  lockhound watch package pkg:npm/left-pad --follow --json | jq .moves

With --json, --follow prints one line for each change.
Exit codes: 0 found, 1 no target holds it, 2 an error or an incomplete result, 130 interrupted.`,
};

/** The packages that targets locked, and those that they no longer lock. */
export function movesBetween(before: readonly PackageHolder[], now: readonly PackageHolder[]) {
  const [old, current] = [before, now].map((all) => new Map(all.map((one) => [one.target, one.purls])));
  const names = [...new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])])].sort();
  return names.flatMap((target) => {
    const [had, has] = [old?.get(target) ?? [], current?.get(target) ?? []];
    const took = has.filter((purl) => !had.includes(purl));
    const left = had.filter((purl) => !has.includes(purl));
    return took.length + left.length === 0 ? [] : [{ target, took, left }];
  });
}
