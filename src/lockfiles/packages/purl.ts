import type { PackageURL } from 'packageurl-js';
import { loadPackage } from '../../model/lazily.ts';

export interface PurlParts {
  readonly type: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Left out of the purl when empty. */
  readonly version: string;
  readonly qualifiers?: Readonly<Record<string, string>> | undefined;
}

/** Parts that no type normalises and no component encodes: they are their own canonical form. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const PLAIN_VERSION = /^[A-Za-z0-9][A-Za-z0-9.~-]*$/;
const PLAIN_SCOPE = /^@[A-Za-z0-9][A-Za-z0-9._-]*$/;
/** URLs of most repositories and archives. */
const PLAIN_VALUE = /^[\w.:/@+?=&-]+$/;

/** `name@version`, with or without a scope, that a purl contains unchanged. */
const PLAIN_NPM = /^(?:@[A-Za-z0-9][A-Za-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.~-]*$/;

/** The canonical purl of an npm `name@version`; `undefined` where parts need normalising or encoding. */
export function plainNpmPurl(nameAndVersion: string): string | undefined {
  if (!PLAIN_NPM.test(nameAndVersion)) return undefined;
  return nameAndVersion.startsWith('@')
    ? `pkg:npm/%40${nameAndVersion.slice(1)}`
    : `pkg:npm/${nameAndVersion}`;
}

/**
 * The canonical purl of a package. Plain npm parts, which are most, take a fast path; a property test checks that it equals
 * packageurl-js but for capitals of npm names. Throws the error of packageurl-js for invalid parts.
 */
export function buildPurl(parts: PurlParts): string {
  const { type, namespace, name, version, qualifiers } = parts;
  const query = plainQuery(qualifiers);
  if (type === 'npm' && query !== undefined && PLAIN_NAME.test(name) && PLAIN_VERSION.test(version)) {
    if (namespace === undefined) return `pkg:npm/${name}@${version}${query}`;
    if (PLAIN_SCOPE.test(namespace)) return `pkg:npm/%40${namespace.slice(1)}/${name}@${version}${query}`;
  }
  const { PackageURL } = packageurl();
  const purl = new PackageURL(
    type,
    namespace,
    name,
    version === '' ? undefined : version,
    qualifiers,
    undefined,
  );
  return canonicalPurl(withCapitals(purl, namespace, name));
}

/**
 * The purl of an npm package with its name as it is: `jsonstream` is another package than `JSONStream`, and the purl is what tells packages
 * apart. packageurl-js writes both in lower case.
 */
export function withCapitals(purl: PackageURL, namespace: string | undefined, name: string): PackageURL {
  if (purl.type !== 'npm') return purl;
  if (name.toLowerCase() === purl.name) purl.name = name;
  if (namespace?.toLowerCase() === purl.namespace) purl.namespace = namespace;
  return purl;
}

/** The qualifier of a source; `undefined` where there are several, or one that packageurl-js may write in another way. */
function plainQuery(qualifiers: PurlParts['qualifiers'] = {}): string | undefined {
  const [first, ...others] = Object.entries(qualifiers);
  if (first === undefined) return '';
  const [name, value] = first;
  return others.length === 0 && /^[a-z_]+$/.test(name) && PLAIN_VALUE.test(value)
    ? `?${name}=${encodeURIComponent(value).replaceAll('%3A', ':')}`
    : undefined;
}

/** packageurl-js, loaded on demand: loading it takes longer than reading a small lockfile. */
export function packageurl(): PackageUrl {
  loaded ??= loadPackage('packageurl-js') as PackageUrl;
  return loaded;
}

type PackageUrl = typeof import('packageurl-js');
let loaded: PackageUrl | undefined;

/**
 * The canonical form of a purl. The purl specification ("Character encoding") leaves colons unencoded in every component;
 * packageurl-js encodes them. A literal `%3A` is `%253A` there, so it is not affected.
 */
export function canonicalPurl(purl: PackageURL): string {
  const text = purl.toString();
  return text.includes('%3A') ? text.replaceAll('%3A', ':') : text;
}

/** Types whose namespace names a distribution or an author and does not belong to the name of the package. */
const NAMED_ALONE: ReadonlySet<string> = new Set([
  ...['alpm', 'apk', 'deb', 'rpm', 'qpkg', 'bitnami', 'conan', 'conda', 'cpan', 'cran', 'hackage'],
]);

/** The name of a package as its ecosystem writes it, from the parts of a purl: `@scope/name`, `group:artifact`. */
export function packageNameOf(type: string, namespace: string, name: string): string {
  if (namespace === '' || NAMED_ALONE.has(type)) return name;
  return type === 'maven' ? `${namespace}:${name}` : `${namespace}/${name}`;
}

/** Types with case-insensitive names; tools write their purls in lower case. */
const FOLDED: ReadonlySet<string> = new Set([
  ...['npm', 'pypi', 'golang', 'nuget', 'composer', 'github', 'gitlab', 'bitbucket', 'hex', 'pub'],
]);

/**
 * The spelling of a purl's name among the names that a file states. Purls are normalised, the names next to them often are
 * not.
 */
export function statedName(type: string, name: string, stated: readonly string[]): string {
  // A name with capitals was not normalised.
  if (!FOLDED.has(type) || stated.includes(name) || name !== name.toLowerCase()) return name;
  const wanted = folded(type, name);
  return stated.find((one) => folded(type, one) === wanted) ?? name;
}

function folded(type: string, name: string): string {
  return type === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name.toLowerCase();
}
