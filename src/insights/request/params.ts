import type { VersionKey } from '../../model/scan/version-key.ts';
import type { InsightsService as Service } from '../service.ts';
import { canonicalHash, type Hash, readHash } from './hash.ts';
import {
  type Facts,
  type PackageName,
  requireFacts,
  ruleError,
  validatePackage,
  validateProject,
  validateVersion,
} from './rules.ts';

type Partly<Value> = { readonly [Name in keyof Value]?: Value[Name] | undefined };

/** What to query for: a hash, a package or version by name, or both. */
export interface QueryCriteria extends Partly<VersionKey> {
  /** As text: `sha512:<hex or base64>` or `sha512-<base64>`. */
  readonly hash?: string | Hash | undefined;
}

export function packageParams(service: Service, given: PackageName) {
  const { system, name } = validatePackage(given);
  service.allowed(name);
  return { params: { 'packageKey.system': system, 'packageKey.name': name } };
}

export function versionParams(service: Service, given: VersionKey, facts?: Facts) {
  const { system, name, version } = validateVersion(given, facts);
  service.allowed(name);
  return {
    params: { 'versionKey.system': system, 'versionKey.name': name, 'versionKey.version': version },
  };
}

export function projectParams(id: string) {
  return { params: { 'projectKey.id': validateProject(id) } };
}

export function queryParams(service: Service, { hash, system, name, version }: QueryCriteria) {
  if (name !== undefined) service.allowed(name);
  if (hash === undefined && (system === undefined || name === undefined)) {
    throw ruleError('query-criteria', 'a query needs a hash, or a system and a name');
  }
  if (version !== undefined && name === undefined) {
    throw ruleError('query-criteria', `a query for version ${version} needs the package's system and name`);
  }
  if (hash !== undefined && system !== undefined) requireFacts('hashes', system);
  const named = system === undefined || name === undefined ? undefined : validatePackage({ system, name });
  const key =
    named === undefined || version === undefined ? undefined : validateVersion({ ...named, version });
  const sought = typeof hash === 'string' ? readHash(hash) : hash && canonicalHash(hash);
  return {
    'hash.type': sought?.type,
    'hash.value': sought?.value,
    'versionKey.system': system,
    'versionKey.name': named?.name,
    'versionKey.version': key?.version,
  };
}
