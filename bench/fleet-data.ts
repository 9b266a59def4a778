import type { ResolvedPackage } from '../src/model/scan/inventory.ts';

/** Versions that were published in the last days. */
export const YOUNG = 2_000;
/** Advisories; one package in fifty has one. */
const ADVISORIES = 500;
const DAY_MS = 24 * 3_600_000;
const NEW = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS).toISOString();

export function advisoryIdsOf(index: number): readonly string[] {
  return index % 50 === 17 ? [`GHSA-${Math.floor(index / 50) % ADVISORIES}`] : [];
}

/** Young ones are spread over popular and rare packages. */
export function publishedAtOf(index: number): string {
  return index % 50 === 3 && index / 50 < YOUNG ? NEW : '2024-03-01T12:00:00Z';
}

/** The package versions of a target, drawn with cubic popularity: few are in most targets, most in few. */
export function drawPackages(count: number, distinct: number, random: () => number): readonly number[] {
  const drawn = new Set<number>();
  while (drawn.size < Math.min(count, distinct)) drawn.add(Math.floor(distinct * random() ** 3));
  return [...drawn].sort((left, right) => left - right);
}

/** A package as a lockfile lists it: with a line, groups and edges to two others. */
export function lockedPackage(packages: readonly number[], position: number): ResolvedPackage {
  const index = packages[position] ?? 0;
  const name = `package-${index}`;
  const advisoryIds = advisoryIdsOf(index);
  const edges = [position * 2 + 1, position * 2 + 2].flatMap((at) =>
    packages[at] === undefined ? [] : [`package-${packages[at]}@1.0.0`],
  );
  return {
    id: `${name}@1.0.0`,
    ecosystem: 'npm',
    name,
    version: '1.0.0',
    purl: `pkg:npm/${name}@1.0.0`,
    direct: position === 0,
    groups: position % 3 === 0 ? ['dev'] : [],
    integrity: [],
    source: { kind: 'registry' },
    line: 12 + position * 9,
    dependencies: edges,
    resolution: {
      outcome: 'resolved',
      record: {
        versionKey: { system: 'NPM', name, version: '1.0.0' },
        publishedAt: publishedAtOf(index),
        isDefault: true,
        isDeprecated: false,
        licenses: ['MIT'],
        advisoryIds: [...advisoryIds],
      },
    },
  };
}
