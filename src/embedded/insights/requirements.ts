import type { System } from '../../model/lockfile/ecosystem.ts';
import type { IndexedVersion } from './data-set.ts';

/** The Requirements object of a version (package-insights API); `undefined` when they are not known. */
export function requirementsObject(
  system: System,
  indexed: IndexedVersion,
): Record<string, unknown> | undefined {
  if (indexed.requirements !== undefined) return indexed.requirements;
  if (system !== 'NPM' && indexed.dependencies === undefined) return undefined;
  switch (system) {
    case 'NPM':
      return { npm: npmObject(indexed) };
    case 'RUBYGEMS':
      return {
        rubygems: {
          runtimeDependencies: pairs(indexed.dependencies),
          devDependencies: pairs(indexed.devDependencies),
          platform: 'ruby',
          requiredRubyVersion: '',
          requiredRubygemsVersion: '',
        },
      };
    case 'NUGET':
      return {
        nuget: { dependencyGroups: [{ targetFramework: '', dependencies: pairs(indexed.dependencies) }] },
      };
    case 'MAVEN':
      return { maven: mavenObject(indexed) };
    case 'GO':
      return {
        go: {
          directDependencies: pairs(indexed.dependencies),
          indirectDependencies: [],
          excludes: [],
          replaces: [],
        },
      };
    case 'PYPI':
      return { pypi: pypiObject(indexed) };
    case 'CARGO':
      return { cargo: cargoObject(indexed) };
  }
}

function pypiObject({ dependencies = {} }: IndexedVersion): Record<string, unknown> {
  return {
    dependencies: Object.entries(dependencies).map(([projectName, versionSpecifier]) => ({
      projectName,
      extras: '',
      versionSpecifier,
      environmentMarker: '',
    })),
    providedExtras: [],
    externalDependencies: [],
    requiredPythonVersion: '',
  };
}

function cargoObject({ dependencies, devDependencies }: IndexedVersion): Record<string, unknown> {
  const ofKind = (kind: string, stated: IndexedVersion['dependencies']) =>
    pairs(stated).map((one) => ({
      ...one,
      kind,
      optional: false,
      packageAlias: '',
      usesDefaultFeatures: true,
      features: [],
      target: '',
    }));
  return {
    dependencies: [...ofKind('normal', dependencies), ...ofKind('dev', devDependencies)],
    features: [],
  };
}

function npmObject(indexed: IndexedVersion): Record<string, unknown> {
  return {
    dependencies: npmDependencies(indexed),
    bundled: (indexed.bundled ?? []).map((manifest) => ({
      path: manifest.path,
      name: manifest.name,
      version: manifest.version,
      dependencies: npmDependencies(manifest),
    })),
    os: [],
    cpu: [],
  };
}

function npmDependencies(manifest: IndexedVersion): Record<string, unknown> {
  return {
    dependencies: pairs(manifest.dependencies),
    devDependencies: pairs(manifest.devDependencies),
    optionalDependencies: pairs(manifest.optionalDependencies),
    peerDependencies: pairs(manifest.peerDependencies),
    bundleDependencies: manifest.bundleDependencies ?? [],
    peerDependencyMetadata: [],
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
