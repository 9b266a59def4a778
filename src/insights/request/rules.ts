import {
  canonicalName,
  canonicalVersion,
  SYSTEMS,
  type System,
  type VersionKey,
} from '../../model/lockfile/ecosystem.ts';
import { InsightsError, type RuleName } from '../errors.ts';

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

export function hasFacts(facts: Facts, system: System): boolean {
  return SYSTEMS_WITH[facts].includes(system);
}

/** The error for a request that breaks a rule and is not sent. */
export function ruleError(rule: RuleName, message: string): InsightsError {
  return new InsightsError('invalid', `${message} [${rule}]`, { rule });
}

/** Throws `InsightsError` (`invalid`) when the index has no such facts of any version of the system. */
export function requireFacts(facts: Facts, system: System): void {
  if (hasFacts(facts, system)) return;
  const what = facts === 'hashes' ? 'artifacts can be looked up by hash' : `there are ${facts}`;
  throw ruleError(
    `systems-with-${facts}`,
    `${what} for ${SYSTEMS_WITH[facts].join(', ')} only, not for ${system}`,
  );
}

/** The name as the index spells it. Throws `InsightsError` (`invalid`). */
export function validatePackage({ system, name }: PackageName): PackageName {
  if (!SYSTEMS.includes(system)) {
    throw ruleError(
      'known-system',
      `${JSON.stringify(system)} is not a system; the systems are ${SYSTEMS.join(', ')}`,
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
export function validateVersion(key: VersionKey, facts?: Facts): VersionKey {
  const { system, name } = validatePackage(key);
  if (facts !== undefined) requireFacts(facts, system);
  if (typeof key.version !== 'string' || key.version === '') {
    throw ruleError('version-required', `${system} ${name}: a version is required`);
  }
  return { system, name, version: canonicalVersion(key.version, key.name, system) };
}

export function validateProject(id: string): string {
  if (typeof id === 'string' && PROJECT_ID.test(id)) return id;
  throw ruleError(
    'project-id-form',
    `${JSON.stringify(id)} is not a project; a project is <host>/<owner>/<repository> on github.com, gitlab.com or bitbucket.org`,
  );
}

export function validateAdvisory(id: string): string {
  if (typeof id === 'string' && /^[^\s/?#]+$/.test(id)) return id;
  throw ruleError(
    'advisory-id-form',
    `${JSON.stringify(id)} is not an OSV identifier such as GHSA-35jh-r3h4-6jhm`,
  );
}

export function validateChainId(id: string): string {
  if (typeof id === 'string' && CHAIN_ID.test(id)) return id;
  throw ruleError(
    'chain-id-form',
    `${JSON.stringify(id)} is not an OCI chain identifier such as sha256:<64 hex digits>`,
  );
}

export function requireBatchSize(count: number): void {
  if (count <= MAX_BATCH) return;
  throw ruleError('batch-size', `a batch holds at most ${MAX_BATCH} requests, not ${count}`);
}
