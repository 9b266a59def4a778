import { canonicalName, PURL_TYPES, systemOf } from '../model/lockfile/ecosystem.ts';

/** A search for packages by name. */
export interface NameQuery {
  /** In any spelling that the ecosystem allows. */
  readonly name: string;
  /** A purl type. Default: any. */
  readonly ecosystem?: string | undefined;
}

/** `name (ecosystem)`. */
export function nameIn(identity: string): string {
  const [prefix, name] = partsOf(identity);
  const ecosystem = PURL_TYPES.find((type) => systemOf(type) === prefix) ?? prefix;
  return `${name} (${ecosystem})`;
}

/** The ecosystem or system of an identity, and the name. */
export function partsOf(identity: string): readonly [prefix: string, name: string] {
  const colon = identity.indexOf(':');
  return [identity.slice(0, colon), identity.slice(colon + 1, identity.lastIndexOf('@'))];
}

/** Whether an identity has the name, in a spelling that its ecosystem takes as the same. */
export function isNamed(identity: string, { name, ecosystem }: NameQuery): boolean {
  const [prefix, own] = partsOf(identity);
  if (ecosystem !== undefined && prefix !== (systemOf(ecosystem) ?? ecosystem)) return false;
  switch (prefix) {
    case 'PYPI':
      return own === canonicalName(name, 'PYPI');
    case 'NPM':
    case 'RUBYGEMS':
    case 'MAVEN':
      return own === name;
    case 'CARGO':
      return own.replaceAll('_', '-') === name.replaceAll('_', '-');
    default:
      // Names of NuGet packages are the same in both cases; purls of Go modules and others are in lower case.
      return own.toLowerCase() === name.toLowerCase();
  }
}
