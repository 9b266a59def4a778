import type { RestDescription, SchemaDescription } from '../../discovery/description/description.ts';
import { isObject } from '../../model/json-object.ts';
import type { ApiSystem } from '../../model/lockfile/ecosystem.ts';
import type { IndexedVersion } from './data-set.ts';

/** Returns the Requirements object of a version (package-insights API); `undefined` when they are not known. */
export function requirementsObject(
  schemas: RestDescription['schemas'] & {},
  system: ApiSystem,
  indexed: IndexedVersion,
): object | undefined {
  if (indexed.requirements !== undefined) return indexed.requirements;
  if (system !== 'NPM' && indexed.dependencies === undefined) return undefined;
  return filled(schemas, { $ref: 'Requirements' }, STATED[system](indexed)) as object;
}

/** The known properties of a version by system. All others are empty. */
const STATED: Readonly<Record<ApiSystem, (indexed: IndexedVersion) => object>> = {
  NPM: (indexed) => ({
    npm: {
      dependencies: npmDependencies(indexed),
      bundled: (indexed.bundled ?? []).map(({ path, name, version, ...own }) => {
        return { path, name, version, dependencies: npmDependencies(own) };
      }),
    },
  }),
  RUBYGEMS: ({ dependencies, devDependencies }) => ({
    rubygems: {
      runtimeDependencies: pairs(dependencies),
      devDependencies: pairs(devDependencies),
      platform: 'ruby',
    },
  }),
  NUGET: ({ dependencies }) => ({ nuget: { dependencyGroups: [{ dependencies: pairs(dependencies) }] } }),
  MAVEN: ({ dependencies }) => ({
    maven: { dependencies: pairs(dependencies).map(({ name, requirement: version }) => ({ name, version })) },
  }),
  GO: ({ dependencies }) => ({ go: { directDependencies: pairs(dependencies) } }),
  PYPI: ({ dependencies }) => ({
    pypi: {
      dependencies: pairs(dependencies).map(({ name: projectName, requirement: versionSpecifier }) => {
        return { projectName, versionSpecifier };
      }),
    },
  }),
  CARGO({ dependencies, devDependencies }) {
    const ofKind = (kind: string, stated: IndexedVersion['dependencies']) =>
      pairs(stated).map((one) => ({ ...one, kind, usesDefaultFeatures: true }));
    return {
      cargo: { dependencies: [...ofKind('normal', dependencies), ...ofKind('dev', devDependencies)] },
    };
  },
};

type NpmManifest = Pick<
  IndexedVersion,
  'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies' | 'bundleDependencies'
>;

function npmDependencies({ bundleDependencies, ...manifest }: NpmManifest): object {
  return {
    dependencies: pairs(manifest.dependencies),
    devDependencies: pairs(manifest.devDependencies),
    optionalDependencies: pairs(manifest.optionalDependencies),
    peerDependencies: pairs(manifest.peerDependencies),
    bundleDependencies,
  };
}

function pairs(requirements: Readonly<Record<string, string>> = {}): { name: string; requirement: string }[] {
  return Object.entries(requirements).map(([name, requirement]) => ({ name, requirement }));
}

const EMPTY: Readonly<Record<string, unknown>> = { string: '', array: [], boolean: false };

/** Returns a value with the properties of its schema that it lacks, which the service sends empty. It sends no empty object. */
function filled(
  schemas: RestDescription['schemas'] & {},
  schema: SchemaDescription,
  value: unknown,
): unknown {
  const { type = '', items = {}, properties = {} } = schemas[schema.$ref ?? ''] ?? schema;
  if (Array.isArray(value)) return value.map((item) => filled(schemas, items, item));
  if (!isObject(value)) return value ?? EMPTY[type];
  return Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, filled(schemas, one, value[name])]),
  );
}
