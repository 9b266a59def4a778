import type { PackageURL } from 'packageurl-js';
import { loadPackage } from '../../model/load-package.ts';

export interface PurlParts {
  readonly type: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** Left out of the purl when empty. */
  readonly version: string;
  readonly qualifiers?: Readonly<Record<string, string>>;
}

/** What no type normalises and no component encodes: for such parts the canonical form is the text itself. */
const PLAIN_NAME = /^[a-z0-9][a-z0-9.-]*$/;
const PLAIN_VERSION = /^[A-Za-z0-9][A-Za-z0-9.~-]*$/;
const PLAIN_SCOPE = /^@[a-z0-9][a-z0-9.-]*$/;

/** A name, with its scope, and a version, all of which stand in a purl as they are. */
const PLAIN_NPM = /^(?:@[a-z0-9][a-z0-9.-]*\/)?[a-z0-9][a-z0-9.-]*@[A-Za-z0-9][A-Za-z0-9.~-]*$/;

/** The canonical purl of `name@version` on npm; `undefined` when it takes more than putting it together. */
export function plainNpmPurl(nameAndVersion: string): string | undefined {
  if (!PLAIN_NPM.test(nameAndVersion)) return undefined;
  return nameAndVersion.startsWith('@')
    ? `pkg:npm/%40${nameAndVersion.slice(1)}`
    : `pkg:npm/${nameAndVersion}`;
}

/**
 * The canonical purl of a package, as packageurl-js builds it; parts that need neither normalising nor encoding (nearly
 * all) take a shortcut, which a property test holds equal. Throws packageurl-js's error for parts no purl can hold.
 */
export function buildPurl(parts: PurlParts): string {
  const { type, namespace, name, version, qualifiers } = parts;
  if (type === 'npm' && qualifiers === undefined && PLAIN_NAME.test(name) && PLAIN_VERSION.test(version)) {
    if (namespace === undefined) return `pkg:npm/${name}@${version}`;
    if (PLAIN_SCOPE.test(namespace)) return `pkg:npm/%40${namespace.slice(1)}/${name}@${version}`;
  }
  const { PackageURL } = packageurl();
  return canonicalPurl(
    new PackageURL(type, namespace, name, version === '' ? undefined : version, qualifiers, undefined),
  );
}

/** packageurl-js, which takes longer to load than a small lockfile to read. */
export function packageurl(): typeof import('packageurl-js') {
  return loadPackage('packageurl-js');
}

/**
 * The canonical form: colons stand as they are in every component (purl specification, "Character encoding"), which
 * packageurl-js encodes. A `%3A` that is meant as such is `%253A` there.
 */
export function canonicalPurl(purl: PackageURL): string {
  const text = purl.toString();
  return text.includes('%3A') ? text.replaceAll('%3A', ':') : text;
}
