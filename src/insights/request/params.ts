import type { ApiSystem, System, VersionKey } from '../../model/lockfile/ecosystem.ts';
import { API_SYSTEMS, canonicalName, canonicalVersion, isApiSystem } from '../../model/lockfile/ecosystem.ts';
import { type RuleName, ruleError } from '../errors.ts';
import type { InsightsService as Service } from '../service.ts';

type Partly<Value> = { readonly [Name in keyof Value]?: Value[Name] | undefined };

/** The criteria of a query: a hash, a package or version by name, or both. */
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

export interface FindingsSubject extends PackageName {
  readonly version?: string | undefined;
}

/** An entry of GetFindingsBatch. */
export function findingsRequest(service: Service, { version, ...name }: FindingsSubject) {
  service.allowed(name.name);
  return version === undefined
    ? { packageKey: validatePackage(name) }
    : { versionKey: validateVersion({ ...name, version }) };
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
    'versionKey.system': isApiSystem(system) ? system : undefined,
    'versionKey.name': named?.name,
    'versionKey.version': key?.version,
  };
}

export type HashType = 'MD5' | 'SHA1' | 'SHA256' | 'SHA512';

/** A content hash as Query expects it: `value` is the Base64 of the raw digest. */
interface Hash {
  readonly type: HashType;
  readonly value: string;
}

const DIGEST_BYTES: Readonly<Record<HashType, number>> = { MD5: 16, SHA1: 20, SHA256: 32, SHA512: 64 };

/** Reads `sha512:<hex or base64>` and `sha512-<base64>` (Subresource Integrity). Throws `InsightsError` (`invalid`). */
export function readHash(text: string): Hash {
  const [, name = '', value = ''] = /^([A-Za-z]+-?\d+)[:-]\s*([A-Za-z0-9+/_=-]+)$/.exec(text.trim()) ?? [];
  const type = name.replace('-', '').toUpperCase();
  if (!isHashType(type)) {
    throw ruleError('hash-form', `${JSON.stringify(text)} is not a hash such as sha512:<hex or base64>`);
  }
  return canonicalHash({ type, value });
}

/** Converts hex to Base64 and checks the length of the digest. Throws `InsightsError` (`invalid`). */
function canonicalHash({ type, value }: Hash): Hash {
  const bytes = DIGEST_BYTES[type];
  if (bytes === undefined) throw ruleError('hash-form', `${JSON.stringify(type)} is not a type of hash`);
  const hex = new RegExp(`^[0-9a-f]{${bytes * 2}}$`, 'i').test(value);
  // Buffer also reads base64url, and skips other characters: the length shows whether it did.
  const digest = Buffer.from(value, hex ? 'hex' : 'base64');
  const length = hex ? bytes : Math.floor((value.replace(/(?<!=)=+$/, '').length * 3) / 4);
  if (digest.length !== bytes || length !== bytes) {
    throw ruleError(
      'hash-form',
      `a ${type} is ${bytes} bytes: ${bytes * 2} hex digits, or the base64 of the raw digest; ${JSON.stringify(value.slice(0, 200))} is neither`,
    );
  }
  return { type, value: digest.toString('base64') };
}

function isHashType(text: string): text is HashType {
  return Object.hasOwn(DIGEST_BYTES, text);
}

/** More entries are HTTP 400 ("Limits"). */
export const MAX_BATCH = 5_000;

/** Facts that the index has for some systems only. */
export type Facts = 'dependencies' | 'dependents' | 'capabilities' | 'hashes';

/** The systems that have them ("Operation rules"). */
const SYSTEMS_WITH: Readonly<Record<Facts, readonly System[]>> = {
  dependencies: ['NPM', 'CARGO', 'MAVEN', 'PYPI'],
  dependents: ['NPM', 'CARGO', 'MAVEN', 'PYPI'],
  capabilities: ['GO'],
  hashes: ['NPM', 'CARGO', 'MAVEN', 'NUGET', 'PYPI', 'RUBYGEMS'],
};

/** `<host>/<owner>/<repository>`; gitlab.com has groups of any depth. */
const PROJECT_ID = /^(?:github\.com|bitbucket\.org)\/[^/\s]+\/[^/\s]+$|^gitlab\.com(?:\/[^/\s]+){2,}$/i;
const CHAIN_ID = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[\w=-]+$/;

export interface PackageName {
  readonly system: System;
  readonly name: string;
}

interface OfApi {
  readonly system: ApiSystem;
}

export type ApiVersionKey = VersionKey & OfApi;

export function hasFacts(facts: Facts, system: System): boolean {
  return SYSTEMS_WITH[facts].includes(system);
}

/** Throws `InsightsError` (`invalid`) when the index has no such facts of any version of the system. */
function requireFacts(facts: Facts, system: System): void {
  if (hasFacts(facts, system)) return;
  const what = facts === 'hashes' ? 'artifacts can be looked up by hash' : `there are ${facts}`;
  throw ruleError(
    `systems-with-${facts}`,
    `${what} for ${SYSTEMS_WITH[facts].join(', ')} only, not for ${system}`,
  );
}

/** The name as the index spells it. Throws `InsightsError` (`invalid`). */
export function validatePackage({ system, name }: PackageName): PackageName & OfApi {
  if (!isApiSystem(system)) {
    throw ruleError(
      'known-system',
      `${JSON.stringify(system)} is not a system; the systems are ${API_SYSTEMS.join(', ')}`,
    );
  }
  if (typeof name !== 'string' || name === '')
    throw ruleError('name-form', 'the name of the package is missing');
  if (system === 'MAVEN' && !/^[^:\s]+:[^:\s]+$/.test(name)) {
    throw ruleError('name-form', `Maven packages are named group:artifact, not ${JSON.stringify(name)}`);
  }
  return { system, name: canonicalName(name, system) };
}

/** The key as the index spells it. Throws `InsightsError` (`invalid`). */
export function validateVersion(key: VersionKey, facts?: Facts): ApiVersionKey {
  const { system, name } = validatePackage(key);
  if (facts !== undefined) requireFacts(facts, system);
  if (typeof key.version !== 'string' || key.version === '') {
    throw ruleError('version-required', `${system} ${name}: a version is required`);
  }
  return { system, name, version: canonicalVersion(key.version, key.name, system) };
}

/** Returns a function that returns an identifier of this form. It throws `InsightsError` (`invalid`) for others. */
function ofForm(form: RegExp, rule: RuleName, what: string): (id: string) => string {
  return (id) => {
    if (typeof id === 'string' && form.test(id)) return id;
    throw ruleError(rule, `${JSON.stringify(id)} is not ${what}`);
  };
}

export const validateProject = ofForm(
  PROJECT_ID,
  'project-id-form',
  'a project; a project is <host>/<owner>/<repository> on github.com, gitlab.com or bitbucket.org',
);

export const validateAdvisory = ofForm(
  /^[^\s/?#]+$/,
  'advisory-id-form',
  'an OSV identifier such as GHSA-35jh-r3h4-6jhm',
);

export const validateChainId = ofForm(
  CHAIN_ID,
  'chain-id-form',
  'an OCI chain identifier such as sha256:<64 hex digits>',
);

export function requireBatchSize(count: number): void {
  if (count <= MAX_BATCH) return;
  throw ruleError('batch-size', `a batch holds at most ${MAX_BATCH} requests, not ${count}`);
}
