import type { System } from '../../model/lockfile/ecosystem.ts';
import {
  API_SYSTEMS,
  canonicalName,
  canonicalVersion,
  isApiSystem,
  purlTypeOf,
  systemOf,
  writePurl,
} from '../../model/lockfile/ecosystem.ts';
import { ruleError } from '../errors.ts';
import { type PackageName, validatePackage } from './params.ts';

/** The package or version that a purl names, as the index spells it. */
export interface PurlTarget extends PackageName {
  /** `undefined`: the package itself. */
  readonly version: string | undefined;
  /** Canonical for the index. */
  readonly purl: string;
}

/**
 * Reads a purl by the rules of PurlLookup and PurlLookupBatch. packageurl-js would change npm names to lower case, which
 * the index does not. Throws `InsightsError` (`invalid`) with the rule.
 */
export function readPurl(text: string): PurlTarget {
  const refuse = (rule: Parameters<typeof ruleError>[0], reason: string) =>
    ruleError(rule, `${JSON.stringify(String(text).slice(0, 200))}: ${reason}`);
  const [, rest, query, subpath] = /^pkg:\/*([^?#]+)(\?[^#]*)?(#.*)?$/is.exec(text) ?? [];
  if (rest === undefined) throw refuse('purl-form', 'a purl is pkg:<type>/<namespace>/<name>@<version>');
  if (subpath !== undefined)
    throw refuse('purl-without-subpath', 'a purl for a look-up may not have a subpath');
  if (query !== undefined) {
    throw refuse('purl-without-qualifiers', 'a purl for a look-up may have no qualifiers');
  }
  const { type, path, version } = split(rest);
  const system = systemOf(type);
  if (!isApiSystem(system)) {
    throw refuse(
      'purl-type',
      `the index holds ${API_SYSTEMS.map(purlTypeOf).toSorted().join(', ')} packages only`,
    );
  }
  const name = decode(path)?.join(system === 'MAVEN' ? ':' : '/');
  const [decodedVersion] = version === undefined ? [] : (decode([version]) ?? ['']);
  if (name === undefined || decodedVersion === '') {
    throw refuse('purl-form', 'its name or version is empty or badly percent-encoded');
  }
  return target(type, validatePackage({ system, name: canonicalName(name, system) }), decodedVersion);
}

/** Reads a purl for a batch, which accepts versions only. */
export function readVersionPurl(text: string): PurlTarget & { readonly version: string } {
  const read = readPurl(text);
  const { version } = read;
  if (version === undefined) {
    throw ruleError('purl-with-version', `${JSON.stringify(text)}: every purl of a batch has a version`);
  }
  return { ...read, version };
}

function target(type: string, { system, name }: PackageName, given: string | undefined): PurlTarget {
  const version = given === undefined ? undefined : canonicalVersion(given, name, system as System);
  return { system, name, version, purl: writePurl(type, name, version) };
}

/** Splits in the order of the purl specification: the version from the right, then the type from the left. */
function split(rest: string) {
  const slash = rest.indexOf('/');
  const type = rest.slice(0, Math.max(slash, 0)).toLowerCase();
  const remainder = rest.slice(slash + 1);
  const at = remainder.lastIndexOf('@');
  // The `@` of a scope may be unencoded; a version contains no slash.
  const versioned = at >= 0 && !remainder.slice(at).includes('/');
  const path = (versioned ? remainder.slice(0, at) : remainder).replace(/^\/+|(?<!\/)\/+$/g, '').split('/');
  return { type, path, version: versioned ? remainder.slice(at + 1) : undefined };
}

function decode(segments: readonly string[]): readonly string[] | undefined {
  try {
    const decoded = segments.map(decodeURIComponent);
    return decoded.some((segment) => segment === '' || /\s/.test(segment)) ? undefined : decoded;
  } catch {
    // Malformed percent-encoding; the caller reports it.
    return undefined;
  }
}
