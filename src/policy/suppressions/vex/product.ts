import { loadPackage } from '../../../model/lazily.ts';
import { PURL_TYPES } from '../../../model/lockfile/ecosystem.ts';
import type { Suppression } from '../../../model/scan/suppression.ts';

type PackageScope = NonNullable<Suppression['package']>;

/** Label of a target that names the product of VEX documents that it is. */
export const PRODUCT_LABEL = 'purl';

/**
 * The package that a purl of a VEX document names: all versions, or exactly one. A string says why it names no package whose findings
 * can be distinguished from those of others.
 */
export function packageScope(text: string): PackageScope | string {
  const { PackageURL }: typeof import('packageurl-js') = loadPackage('packageurl-js');
  try {
    const [type = '', namespace = '', name = '', version = '', qualifiers, subpath] =
      PackageURL.parseString(text);
    const ecosystem = type.toLowerCase();
    if (!PURL_TYPES.includes(ecosystem)) return `${ecosystem} is not an ecosystem of packages in lockfiles`;
    const full = namespace === '' ? name : `${namespace}${ecosystem === 'maven' ? ':' : '/'}${name}`;
    if (full === '' || full.includes('*')) return `"${text}" does not name one package`;
    // A build of another repository or with another classifier is another package.
    if (subpath != null && subpath !== '') return 'a subpath of a package is not distinguished';
    const others = [...(qualifiers instanceof URLSearchParams ? qualifiers.keys() : [])].filter(
      (key) => key !== 'type',
    );
    if (others.length > 0) return `packages are not distinguished by ${others.join(', ')}`;
    return { ecosystem, name: full, ...(version === '' ? {} : { version }) };
  } catch {
    return `"${text}" is not a purl`;
  }
}

/**
 * The package that a purl names, whatever distinguishes its builds: what overrules has to be found for each of them. Versions are compared by
 * the order of the ecosystem.
 */
export function packageOf(text: string): PackageScope | string {
  const scope = packageScope(text.replace(/[?#].*$/s, ''));
  if (typeof scope === 'string' || scope.version === undefined) return scope;
  const { version: versions, ...rest } = scope;
  return { ...rest, versions };
}

/** The scopes of a product that is a target: by its id, and by its label. */
export function targetScopes(product: string): readonly Pick<Suppression, 'target' | 'labels'>[] | string {
  if (product.includes('*')) return `"${product}" does not name one product`;
  return [{ target: product }, { labels: { [PRODUCT_LABEL]: product } }];
}
