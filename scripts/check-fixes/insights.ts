import pLimit from 'p-limit';
import compareVersions from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import { z } from 'zod';
import type { AdvisoryFact, IndexedPackage, InsightsData } from '../../src/embedded/insights/data-set.ts';
import { readRequirement, selectVersion } from '../../src/embedded/insights/graph.ts';
import type { Locked } from './lockhound.ts';
import type { Registry } from './registry.ts';

const CONCURRENCY = 16;

const requirements = z.record(z.string(), z.string()).optional().catch(undefined);
const manifest = z.object({
  dependencies: requirements,
  optionalDependencies: requirements,
  peerDependencies: requirements,
});

type IndexedVersion = IndexedPackage['versions'][number];

interface Wanted {
  readonly name: string;
  /** Selects the versions whose requirements are followed. */
  select(found: IndexedPackage): readonly IndexedVersion[];
}

/**
 * The data of a local package-insights service: advisories, and what the registry has about packages. It is complete for graphs of the
 * locked versions and of all later ones: each requirement selects the version that the service selects.
 */
export async function dataAbout(
  locked: readonly Locked[],
  advisories: readonly AdvisoryFact[],
  registry: Registry,
): Promise<InsightsData> {
  const limit = pLimit(CONCURRENCY);
  const packages = new Map<string, Promise<IndexedPackage | undefined>>();
  const read = async (name: string) => {
    const reading = packages.get(name) ?? limit(() => readPackage(name, registry));
    packages.set(name, reading);
    return await reading;
  };
  const asked = new Set<string>();
  let open: readonly Wanted[] = locked.map(({ name, version: from }) => ({
    name,
    select: ({ versions }) => versions.filter(({ version }) => isLater(version, from)),
  }));
  while (open.length > 0) {
    const found = await Promise.all(
      open.map(async ({ name, select }) => {
        const one = await read(name);
        return one === undefined ? [] : select(one);
      }),
    );
    open = found.flat().flatMap((version) => requiredBy(version, asked));
  }
  const known = await Promise.all(packages.values());
  return { packages: known.filter((one) => one !== undefined), advisories };
}

function isLater(version: string, from: string): boolean {
  return valid(version) !== null && (valid(from) === null || compareVersions(version, from) >= 0);
}

/** What the registry has about a package, for a local package-insights service. */
export async function readPackage(name: string, registry: Registry): Promise<IndexedPackage | undefined> {
  const found = await registry.read(name);
  const latest = found?.['dist-tags']['latest'];
  if (found === undefined) return undefined;
  return {
    system: 'NPM',
    name,
    ...(latest === undefined ? {} : { default: latest }),
    versions: Object.entries(found.versions).map(([version, entry]) => {
      const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest.parse(entry);
      return {
        version,
        dependencies,
        optionalDependencies,
        peerDependencies,
        // npm shows no message for `false` and for an empty text.
        ...(typeof entry.deprecated === 'string' && entry.deprecated !== ''
          ? { deprecated: entry.deprecated }
          : {}),
      };
    }),
  };
}

/** What a version requires, without the requirements in `asked`, to which it is added. */
function requiredBy(
  { dependencies, optionalDependencies }: IndexedVersion,
  asked: Set<string>,
): readonly Wanted[] {
  return Object.entries({ ...dependencies, ...optionalDependencies }).flatMap(([key, requirement]) => {
    const { name, range } = readRequirement(key, requirement);
    if (asked.has(`${name}@${range}`)) return [];
    asked.add(`${name}@${range}`);
    return [{ name, select: (found) => [selectVersion(found, range)].filter((one) => one !== undefined) }];
  });
}
