import { loadPackage } from '../../model/lazily.ts';
import type { Suppression } from '../../model/scan/suppression.ts';

type PackageScope = NonNullable<Suppression['package']>;

/**
 * Reads `pkg:npm/lodash`, `pkg:npm/lodash@4.17.20`, `pkg:npm/lodash@<4.17.21` or `pkg:npm/%40corp/*`. The version may be a range,
 * encoded or not. Returns why the text is invalid as a string.
 */
export function readPackageScope(text: string): PackageScope | string {
  const { PackageURL }: typeof import('packageurl-js') = loadPackage('packageurl-js');
  const { base, versions } = split(text.trim().replace(/[?#].*$/s, ''));
  try {
    const [type = '', namespace = '', name = ''] = PackageURL.parseString(base);
    if (name === '') return `"${text}" names no package`;
    const separator = type === 'maven' ? ':' : '/';
    const ecosystem = type.toLowerCase();
    const full = namespace === '' ? name : `${namespace}${separator}${name}`;
    return { ecosystem, name: full, ...(versions === '' ? {} : { versions }) };
  } catch {
    return `"${text}" is not a purl, such as \`pkg:npm/lodash\``;
  }
}

/** The version is after the last `@` that does not begin a scope. */
function split(text: string): { readonly base: string; readonly versions: string } {
  const at = text.lastIndexOf('@');
  if (at <= 0 || text[at - 1] === '/') return { base: text, versions: '' };
  return { base: text.slice(0, at), versions: decoded(text.slice(at + 1)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
