import { purlTypeOf } from '../../model/lockfile/ecosystem.ts';
import { writePurl } from '../../model/lockfile/spelling.ts';
import { formatVersionKey, type System, type VersionKey } from '../../model/lockfile/version-key.ts';
import type { LookUp } from '../resolve/eligibility.ts';

/** A well-known version, and what every index states of it. */
export interface Witness {
  readonly lookUp: LookUp;
  /** Parts of `VERSION_STATEMENTS`. */
  readonly states: readonly string[];
}

const DATED = ['publication date', 'licences'];
const VULNERABLE = ['advisories', ...DATED];

/** Old versions with many users, of which no correction is to be expected. */
const VERSIONS: readonly (readonly [System, string, string, readonly string[]])[] = [
  ['NPM', 'lodash', '4.17.20', VULNERABLE],
  ['NPM', 'minimist', '1.2.5', ['advisories', 'licences']],
  ['NPM', 'request', '2.88.2', [...VULNERABLE, 'deprecation']],
  ['NPM', 'har-validator', '5.1.5', ['deprecation', 'licences']],
  ['NPM', 'glob', '7.1.6', ['deprecation', 'licences']],
  ['PYPI', 'jinja2', '2.10', VULNERABLE],
  ['PYPI', 'requests', '2.19.1', VULNERABLE],
  ['PYPI', 'urllib3', '1.24.1', VULNERABLE],
  ['MAVEN', 'org.apache.logging.log4j:log4j-core', '2.14.1', VULNERABLE],
  ['MAVEN', 'com.fasterxml.jackson.core:jackson-databind', '2.9.8', VULNERABLE],
  ['GO', 'golang.org/x/text', 'v0.3.5', VULNERABLE],
  ['GO', 'golang.org/x/net', 'v0.7.0', VULNERABLE],
  ['CARGO', 'time', '0.1.43', VULNERABLE],
  ['CARGO', 'chrono', '0.4.19', VULNERABLE],
  ['RUBYGEMS', 'nokogiri', '1.10.9', VULNERABLE],
  ['RUBYGEMS', 'rack', '2.2.2', VULNERABLE],
  ['NUGET', 'newtonsoft.json', '12.0.3', VULNERABLE],
  ['NUGET', 'system.text.encodings.web', '4.7.1', VULNERABLE],
];

/** Advisories of these versions, with a score and aliases. */
export const WITNESS_ADVISORIES: readonly string[] = [
  'GHSA-35jh-r3h4-6jhm',
  'GHSA-29mw-wpgm-hmr9',
  'GHSA-p8p7-x288-28g6',
];

/** The witnesses of a system. */
export function witnessesOf(system: string): readonly Witness[] {
  return VERSIONS.filter(([own]) => own === system).map(([own, name, version, states]) => ({
    lookUp: lookUpOf({ system: own, name, version }),
    states,
  }));
}

function lookUpOf(versionKey: VersionKey): LookUp {
  const { system, name, version } = versionKey;
  return {
    key: formatVersionKey(versionKey),
    purl: writePurl(purlTypeOf(system), name, version),
    versionKey,
  };
}
