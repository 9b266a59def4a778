import type { System } from '../../model/version-record.ts';
import type { IndexedVersion } from './data-set.ts';

/** The Requirements object of a version (package-insights API); `undefined` for systems that have none. */
export function requirementsObject(
  system: System,
  indexed: IndexedVersion,
): Record<string, unknown> | undefined {
  switch (system) {
    case 'NPM':
      return { npm: npmObject(indexed) };
    case 'RUBYGEMS':
      return {
        rubygems: {
          runtimeDependencies: pairs(indexed.dependencies),
          devDependencies: pairs(indexed.devDependencies),
        },
      };
    case 'NUGET':
      return {
        nuget: { dependencyGroups: [{ targetFramework: '', dependencies: pairs(indexed.dependencies) }] },
      };
    case 'MAVEN':
      return { maven: mavenObject(indexed) };
    default:
      return undefined;
  }
}

function npmObject(indexed: IndexedVersion): Record<string, unknown> {
  return {
    dependencies: {
      dependencies: pairs(indexed.dependencies),
      devDependencies: pairs(indexed.devDependencies),
      optionalDependencies: pairs(indexed.optionalDependencies),
      peerDependencies: pairs(indexed.peerDependencies),
      bundleDependencies: indexed.bundleDependencies ?? [],
    },
    bundled: [],
  };
}

function mavenObject({ dependencies = {} }: IndexedVersion): Record<string, unknown> {
  return {
    dependencies: Object.entries(dependencies).map(([name, version]) => ({
      name,
      version,
      classifier: '',
      type: '',
      scope: '',
      optional: '',
      exclusions: [],
    })),
    dependencyManagement: [],
    properties: [],
    repositories: [],
    profiles: [],
  };
}

function pairs(requirements: Readonly<Record<string, string>> = {}): { name: string; requirement: string }[] {
  return Object.entries(requirements).map(([name, requirement]) => ({ name, requirement }));
}
