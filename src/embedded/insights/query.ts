import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { InsightsModel } from './model.ts';
import { canonicalKey } from './names.ts';
import { artifactsOf } from './version-object.ts';

const LIMIT = 1_000;

/**
 * The answer of Query as JSON, `undefined` without results. Searches by hash, by name or by both; with both, every given
 * part of the name must match as well. Parts of `asked` that were not given are empty.
 */
export function queryResults(
  model: InsightsModel,
  parameters: ReadonlyMap<string, string>,
  asked: VersionKey,
): string | undefined {
  const hash = parameters.get('hash.value');
  const keys = (hash === undefined ? keysByName(model, asked) : keysByHash(model, parameters, hash))
    .filter((key) => matches(key, asked, parameters.has('versionKey.system')))
    .slice(0, LIMIT);
  if (keys.length === 0) return undefined;
  const results = keys.map((key) => {
    const artifacts = hash === undefined ? [] : artifactsOf(key, model.indexedVersion(key));
    return `{"version":${model.version(key)},"artifacts":${JSON.stringify(artifacts)}}`;
  });
  return `{"results":[${results.join(',')}]}`;
}

function keysByName(model: InsightsModel, { system, name }: VersionKey): readonly VersionKey[] {
  const found = model.find(system, name);
  return (found?.versions ?? []).map(({ version }) => ({ system, name: found?.name ?? name, version }));
}

function keysByHash(
  model: InsightsModel,
  parameters: ReadonlyMap<string, string>,
  hash: string,
): readonly VersionKey[] {
  const type = parameters.get('hash.type');
  return type === undefined ? [] : model.versionsByHash(type, hash);
}

function matches(key: VersionKey, { system, name, version }: VersionKey, hasSystem: boolean): boolean {
  if (hasSystem && key.system !== system) return false;
  const wanted = canonicalKey({ system: key.system, name, version });
  return (name === '' || key.name === wanted.name) && (version === '' || key.version === wanted.version);
}
