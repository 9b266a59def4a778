import type * as api from '../../model/api/insights-api.generated.ts';
import { isObject } from '../../model/json-object.ts';
import {
  API_SYSTEMS,
  canonicalName,
  formatVersionKey,
  type VersionKey,
} from '../../model/lockfile/ecosystem.ts';
import { InsightsError } from '../errors.ts';
import type { PackageName } from '../request/params.ts';

/**
 * Whether an answer names the version that was asked for. The index may spell both in its own way (field notes, "Order": `3.0` →
 * `3.0.0`), so that only what differs beyond the spelling is another version.
 */
export function isAboutVersion(asked: VersionKey, answered: unknown): boolean {
  if (!isObject(answered) || !isAboutPackage(asked, answered)) return false;
  const { version = '' } = answered;
  if (typeof version !== 'string') return false;
  return version === asked.version || plainVersion(version) === plainVersion(asked.version);
}

/** Whether an answer names the package that was asked for, in any spelling. The request that a miss repeats has no checked form. */
export function isAboutPackage(asked: PackageName, answered: unknown): boolean {
  if (!isObject(answered)) return false;
  const { system, name = '' } = answered;
  if (system !== asked.system || typeof name !== 'string') return false;
  if (name === asked.name) return true;
  const known = API_SYSTEMS.find((one) => one === system);
  // Names of npm that differ in case name two packages.
  if (known === undefined || known === 'NPM') return false;
  return canonicalName(name, known).toLowerCase() === canonicalName(asked.name, known).toLowerCase();
}

/** The error for an answer about something else. Nothing of it is known of what was asked for. */
export function otherSubject(asked: string, answered: unknown): InsightsError {
  const about = JSON.stringify(answered)?.slice(0, 200) ?? 'nothing that it names';
  return new InsightsError('contract', `the service answers a request for ${asked} with one about ${about}`);
}

/** Throws when a graph is that of another version. Its first node is the version itself; one that only states an error has none. */
export function requireGraph(asked: VersionKey, { nodes: [root] = [], error = '' }: api.Dependencies): void {
  if (root === undefined && error !== '') return;
  if (!isAboutVersion(asked, root?.versionKey)) throw otherSubject(formatVersionKey(asked), root?.versionKey);
}

/** Throws when a single answer is about another package. */
export function requirePackage(asked: PackageName, answered: api.PackageKey | undefined): void {
  if (!isAboutPackage(asked, answered)) throw otherSubject(`${asked.system}:${asked.name}`, answered);
}

/** Words that ecosystems write in several ways, or leave out. */
const WORDS: Readonly<Record<string, string>> = {
  alpha: 'a',
  beta: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
  final: '',
  ga: '',
  release: '',
  post: '',
  rev: '',
  r: '',
};

/** A version without what spellings differ in: prefixes, zeros at an end, build metadata, names of stages. */
function plainVersion(version: string): string {
  const parts =
    version
      .toLowerCase()
      .replace(/^(?:v|go)(?=\d)/, '')
      .replace(/\+.*$/s, '')
      .match(/\d+|[a-z]+/g) ?? [];
  const plain: string[] = [];
  const dropZeros = (): void => {
    while (plain.at(-1) === '0') plain.pop();
  };
  for (const part of parts) {
    const isNumber = /^\d/.test(part);
    const text = isNumber ? part.replace(/^0+(?=\d)/, '') : (WORDS[part] ?? part);
    if (text === '') continue;
    if (!isNumber) dropZeros();
    plain.push(text);
  }
  dropZeros();
  return plain.join('.');
}
