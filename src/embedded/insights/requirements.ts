import type { IndexedVersion } from './data-set.ts';

/** The Requirements object of an npm version (package-insights API, "Requirements object"). */
export function requirementsObject(indexed: IndexedVersion): Record<string, unknown> {
  return {
    npm: {
      dependencies: {
        dependencies: pairs(indexed.dependencies),
        devDependencies: pairs(indexed.devDependencies),
        optionalDependencies: pairs(indexed.optionalDependencies),
        peerDependencies: pairs(indexed.peerDependencies),
        bundleDependencies: indexed.bundleDependencies ?? [],
      },
      bundled: [],
    },
  };
}

function pairs(requirements: Readonly<Record<string, string>> = {}): { name: string; requirement: string }[] {
  return Object.entries(requirements).map(([name, requirement]) => ({ name, requirement }));
}
