import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { InsightsModel } from './model.ts';
import { canonicalKey } from './names.ts';
import { artifactsOf } from './version-object.ts';

const LIMIT = 1_000;

/**
 * The answer of Query, `undefined` without results. Searches by hash, by name or by both; with both, every given
 * part of the name must match as well. Parts of `asked` that were not given are empty.
 */
export function queryResults(
  model: InsightsModel,
  parameters: ReadonlyMap<string, string>,
  asked: VersionKey,
): object | undefined {
  const hash = parameters.get('hash.value');
  const hasSystem = parameters.has('versionKey.system');
  const known =
    hash === undefined
      ? model.versionsOf(asked)
      : model.versionsByHash(parameters.get('hash.type') ?? '', hash);
  const keys = known.filter((key) => matches(key, asked, hasSystem)).slice(0, LIMIT);
  if (keys.length === 0) return undefined;
  const results = keys.map((key) => ({
    version: model.version(key),
    artifacts: hash === undefined ? [] : artifactsOf(key, model.indexedVersion(key)),
  }));
  return { results };
}

function matches(key: VersionKey, { system, name, version }: VersionKey, hasSystem: boolean): boolean {
  if (hasSystem && key.system !== system) return false;
  const wanted = canonicalKey({ system: key.system, name, version });
  return (name === '' || key.name === wanted.name) && (version === '' || key.version === wanted.version);
}
