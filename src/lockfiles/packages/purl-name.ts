/** Types whose namespace says where a package is from (a distribution, an author), and is no part of its name. */
const NAMED_ALONE: ReadonlySet<string> = new Set([
  ...['alpm', 'apk', 'deb', 'rpm', 'qpkg', 'bitnami', 'conan', 'conda', 'cpan', 'cran', 'hackage'],
]);

/** A package's name as its ecosystem writes it, from the parts of a purl: `@scope/name`, `group:artifact`. */
export function packageNameOf(type: string, namespace: string, name: string): string {
  if (namespace === '' || NAMED_ALONE.has(type)) return name;
  return type === 'maven' ? `${namespace}:${name}` : `${namespace}/${name}`;
}

/** Types whose names are the same in any case; tools write their purls in lower case. */
const FOLDED: ReadonlySet<string> = new Set([
  ...['npm', 'pypi', 'golang', 'nuget', 'composer', 'github', 'gitlab', 'bitbucket', 'hex', 'pub'],
]);

/**
 * The one of the names a file states that is the purl's, as the ecosystem writes it: purls are normalised, names beside
 * them often are not.
 */
export function statedName(type: string, name: string, stated: readonly string[]): string {
  // One that is not all lower case was not normalised.
  if (!FOLDED.has(type) || stated.includes(name) || name !== name.toLowerCase()) return name;
  const wanted = folded(type, name);
  return stated.find((one) => folded(type, one) === wanted) ?? name;
}

function folded(type: string, name: string): string {
  return type === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name.toLowerCase();
}
