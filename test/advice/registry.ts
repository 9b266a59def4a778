import maxSatisfying from 'semver/ranges/max-satisfying.js';
import type { AdviceFacts } from '../../src/advice/facts.ts';
import type { AdvisedLockfile } from '../../src/advice/project.ts';
import type { StatedRequirement } from '../../src/model/advice/project-statement.ts';
import type { VersionKey } from '../../src/model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../../src/model/ports/insights.ts';
import type { ResolvedPackage } from '../../src/model/scan/inventory.ts';

/** A version of the invented npm registry of these tests. */
export interface Release {
  /** Requirements by name. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Requirements on what is beside it, which are in no graph. */
  readonly peers?: Readonly<Record<string, string>>;
  readonly advisories?: readonly string[];
  readonly publishedAt?: string;
  readonly isDeprecated?: boolean;
  readonly waitUntil?: string;
  /** Whether the index has no dependency graph of it. */
  readonly hasNoGraph?: boolean;
  /** Whether the index lists it without a record of it. */
  readonly hasNoRecord?: boolean;
}

export type Registry = Readonly<Record<string, Readonly<Record<string, Release>>>>;

/** Facts of an invented registry. `requested`: what was asked for. `partial`: names of packages whose list of versions is partial. */
export function factsOf(
  registry: Registry,
  partial: readonly string[] = [],
): AdviceFacts & { readonly requested: readonly string[] } {
  const requested: string[] = [];
  return {
    requested,
    async versions({ name }) {
      requested.push(`versions ${name}`);
      const versions = registry[name];
      if (versions === undefined) return undefined;
      return {
        versions: Object.entries(versions).map(([version, one]) => publishedOf(version, one)),
        ...(partial.includes(name) ? { isPartial: true } : {}),
      };
    },
    fixedIn: async () => undefined,
    async records(keys) {
      if (keys.length > 0) requested.push(`records ${keys.map(({ name, version }) => `${name}@${version}`)}`);
      return keys.map((key) => recordOf(key, registry[key.name]?.[key.version]));
    },
    async graph(key) {
      requested.push(`graph ${key.name}@${key.version}`);
      const release = registry[key.name]?.[key.version];
      if (release === undefined || release.hasNoGraph === true) {
        return {
          state: 'unknown',
          reason: `the index has no dependency graph of ${key.name} ${key.version}`,
        };
      }
      return { state: 'good', found: graphOf(key, registry) };
    },
    requirements: async ({ name }) => ({
      state: 'unknown',
      reason: `the index has no requirements of ${name}`,
    }),
    failures: () => [],
  };
}

function publishedOf(version: string, { publishedAt, isDeprecated = false }: Release): PublishedVersion {
  return { version, isDefault: false, isDeprecated, ...(publishedAt === undefined ? {} : { publishedAt }) };
}

function recordOf(versionKey: VersionKey, release: Release | undefined) {
  if (release === undefined || release.hasNoRecord === true) return undefined;
  const { advisories = [], isDeprecated = false, waitUntil } = release;
  const record = { versionKey, isDefault: false, isDeprecated, licenses: [], advisoryIds: [...advisories] };
  return waitUntil === undefined ? record : { ...record, waitUntil };
}

/** A new installation: the highest version that each requirement permits. */
function graphOf(root: VersionKey, registry: Registry) {
  const nodes: { versionKey: VersionKey; relation: 'SELF' | 'DIRECT' | 'INDIRECT' }[] = [
    { versionKey: root, relation: 'SELF' },
  ];
  const edges: { from: number; to: number; requirement: string }[] = [];
  const errors: string[] = [];
  for (const [from, { versionKey: key }] of nodes.entries()) {
    for (const [name, requirement] of Object.entries(registry[key.name]?.[key.version]?.needs ?? {})) {
      const version = maxSatisfying(Object.keys(registry[name] ?? {}), requirement);
      if (version === null) {
        errors.push(`${name} ${requirement} cannot be resolved`);
        continue;
      }
      const known = nodes.findIndex(({ versionKey: own }) => own.name === name && own.version === version);
      const versionKey = { system: root.system, name, version };
      const to =
        known >= 0 ? known : nodes.push({ versionKey, relation: from === 0 ? 'DIRECT' : 'INDIRECT' }) - 1;
      edges.push({ from, to, requirement });
    }
  }
  return { nodes, edges, errors };
}

/**
 * A package-lock of these versions. `direct`: the requirements of the target. `locked`: ids (`name@version`) with the ids that
 * they depend on.
 */
export function lockfileOf(
  registry: Registry,
  direct: Readonly<Record<string, string>>,
  locked: Readonly<Record<string, readonly string[]>>,
  statement: Partial<AdvisedLockfile['statement']> = {},
): AdvisedLockfile & { readonly find: (id: string) => ResolvedPackage } {
  const own = Object.entries(direct).map(([name, requirement]): StatedRequirement => {
    return { by: '', folder: '', name, requirement };
  });
  const directs = new Set<string>();
  const packages = Object.entries(locked).map(([id, dependencies]) => {
    const { name, version } = split(id);
    // The first locked version of a direct dependency is that of the target.
    const isDirect = name in direct && !directs.has(name);
    if (isDirect) directs.add(name);
    return packageOf(id, isDirect, dependencies, registry[name]?.[version]);
  });
  const others = Object.keys(locked).flatMap((by) => {
    const { name, version } = split(by);
    const { needs = {}, peers = {} } = registry[name]?.[version] ?? {};
    return [
      ...Object.entries(needs).map(([need, requirement]) => ({ by, folder: '', name: need, requirement })),
      ...Object.entries(peers).map(([need, requirement]) => {
        return { by, folder: '', name: need, requirement, isPeer: true };
      }),
    ];
  });
  return {
    path: 'package-lock.json',
    format: 'npm-package-lock',
    packages,
    statement: { requirements: [...own, ...others], statesDirect: true, pins: [], ...statement },
    find(id) {
      const found = packages.find((one) => one.id === id);
      if (found === undefined) throw new RangeError(`${id} is not locked`);
      return found;
    },
  };
}

function split(id: string): { readonly name: string; readonly version: string } {
  const at = id.lastIndexOf('@');
  return { name: id.slice(0, at), version: id.slice(at + 1) };
}

function packageOf(
  id: string,
  direct: boolean,
  dependencies: readonly string[],
  release: Release | undefined,
): ResolvedPackage {
  const { name, version } = split(id);
  const record = recordOf({ system: 'NPM', name, version }, release);
  return {
    id,
    ecosystem: 'npm',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    direct,
    groups: [],
    line: undefined,
    dependencies: [...dependencies],
    resolution: record === undefined ? { outcome: 'missing' } : { outcome: 'resolved', record },
  };
}
