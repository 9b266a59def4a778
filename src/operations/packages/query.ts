import { readPurl } from '../../lockfiles/packages/read-purl.ts';
import { percentDecoded } from '../../model/json-object.ts';
import { ECOSYSTEMS } from '../../model/lockfile/ecosystem.ts';
import { Refusal } from '../refusal.ts';

/** The packages that a command asks for. */
export interface PackageQuery {
  readonly name: string;
  /** A purl type; `undefined`: any. */
  readonly ecosystem: string | undefined;
  /** A version or a range; empty: all. */
  readonly versions: string;
}

/** Other names of ecosystems that people use. */
const ALIASES: Readonly<Record<string, string>> = {
  go: 'golang',
  rubygems: 'gem',
  python: 'pypi',
  crates: 'cargo',
  rust: 'cargo',
  java: 'maven',
  dotnet: 'nuget',
  node: 'npm',
};

/** The purl type of an ecosystem in any of its usual names. */
export function purlTypeNamed(name: string): string {
  const lower = name.trim().toLowerCase();
  return ALIASES[lower] ?? lower;
}

/** The ecosystem of findings that a name means. Throws `Refusal` (`query-invalid`) for one that no finding can have. */
export function findingEcosystem(name: string): string {
  const type = purlTypeNamed(name);
  if (ECOSYSTEMS.includes(type)) return type;
  throw invalid(
    `${JSON.stringify(name)} is not an ecosystem of findings; there are ${ECOSYSTEMS.join(', ')}`,
  );
}

/**
 * Reads `pkg:npm/lodash`, `pkg:npm/lodash@<4.17.21`, `lodash` or `lodash@^4`. `range` and `ecosystem` are stated separately.
 * Throws `Refusal` (`query-invalid`).
 */
export function readPackageQuery(
  text: string,
  stated: { readonly range?: string | undefined; readonly ecosystem?: string | undefined } = {},
): PackageQuery {
  const wanted = text.trim();
  const ecosystem = stated.ecosystem === undefined ? undefined : purlTypeNamed(stated.ecosystem);
  const query = wanted.startsWith('pkg:') ? readPurlQuery(wanted) : { ...splitVersion(wanted), ecosystem };
  if (query.name === '') throw invalid(`"${text}" names no package`);
  if (ecosystem !== undefined && query.ecosystem !== ecosystem) {
    throw invalid(`${text} is a package of ${query.ecosystem}, not of ${ecosystem}`);
  }
  if (stated.range === undefined) return query;
  if (query.versions !== '') {
    throw invalid(`"${text}" has a version already, and "${stated.range}" is a second one`);
  }
  return { ...query, versions: stated.range };
}

function invalid(detail: string): Refusal {
  return new Refusal(400, 'query-invalid', detail);
}

/** A purl whose version may be a range, encoded or not. Qualifiers and subpath select nothing. */
function readPurlQuery(text: string): PackageQuery {
  const { name: base, versions } = splitVersion(text.replace(/[?#].*$/s, ''));
  const read = readPurl(base, '');
  if (typeof read === 'string') throw invalid(`${text} is not a valid purl: ${read}`);
  return { name: read.name, ecosystem: read.ecosystem, versions: percentDecoded(versions) };
}

/** The version is after the last `@` that does not begin a scope. */
function splitVersion(text: string): { readonly name: string; readonly versions: string } {
  const at = text.lastIndexOf('@');
  if (at <= 0 || text[at - 1] === '/') return { name: text, versions: '' };
  return { name: text.slice(0, at).trim(), versions: text.slice(at + 1).trim() };
}
