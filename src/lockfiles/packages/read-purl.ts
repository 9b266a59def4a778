import type { PackageURL } from 'packageurl-js';
import { messageOf } from '../../model/errors.ts';
import type { Source } from '../../model/scan/lockfile.ts';
import { withoutCredentials } from './credentials.ts';
import { canonicalPurl, packageurl } from './purl.ts';
import { packageNameOf } from './purl-name.ts';

/** A package as its purl tells it. */
export interface PurlPackage {
  /** The purl type. */
  readonly ecosystem: string;
  /** As the ecosystem writes it, as far as the purl keeps that. */
  readonly name: string;
  readonly version: string;
  /** Canonical, without credentials. */
  readonly purl: string;
  readonly source: Source;
}

const REGISTRY: Source = { kind: 'registry' };

/**
 * Reads a purl that a file gives. `statedVersion`: what the file says beside it, for a purl without a version. Gives the
 * reason when the text is no purl that can be read.
 */
export function readPurl(text: string, statedVersion: string): PurlPackage | string {
  const repaired = withoutEncodedVersion(text, statedVersion);
  return readPlain(repaired) ?? readAny(repaired.trim(), statedVersion);
}

/** Some tools encode the `@` before the version, which makes it a part of the name. */
function withoutEncodedVersion(text: string, version: string): string {
  if (version === '' || !text.endsWith(version)) return text;
  const start = text.length - version.length - 3;
  const isEncoded =
    text.startsWith('%40', start) &&
    text[start - 1] !== '/' &&
    text.lastIndexOf('@') <= text.lastIndexOf('/') + 1;
  return isEncoded ? `${text.slice(0, start)}@${version}` : text;
}

/** Type, namespace, name, version, and the qualifier that Maven's tools always write. */
const PLAIN =
  /^pkg:(npm|maven|nuget|cargo|gem|pypi|golang)\/((?:[\w.~-]+\/)*|%40[\w.~-]+\/)([\w.~-]+)@([\w.~+-]+)(?:\?type=[\w.-]+)?$/;
const GO_VERSION = /^(?!v)|^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** Nearly all of them, without the cost of the general case; a property test holds both equal. */
function readPlain(text: string): PurlPackage | undefined {
  const parts = PLAIN.exec(text);
  if (parts === null) return undefined;
  const [, ecosystem = '', path = '', baseName = '', version = ''] = parts;
  const namespace = path.slice(0, -1);
  if (!isCanonical(ecosystem, path, baseName, version)) return undefined;
  const scope = path.startsWith('%') ? `@${namespace.slice(3)}` : namespace;
  return {
    ecosystem,
    name: packageNameOf(ecosystem, scope, baseName),
    version,
    purl: text,
    source: REGISTRY,
  };
}

/** Whether it is what the type's rules would make of it. */
function isCanonical(type: string, path: string, baseName: string, version: string): boolean {
  const scoped = path.startsWith('%');
  switch (type) {
    case 'npm':
      return (path === '' || scoped) && !/[A-Z]/.test(path) && !/[A-Z]/.test(baseName);
    case 'pypi':
      return path === '' && !/[A-Z_]/.test(baseName);
    case 'maven':
      return path !== '' && !scoped;
    case 'golang':
      return !scoped && GO_VERSION.test(version);
    default:
      return path === '';
  }
}

function readAny(text: string, statedVersion: string): PurlPackage | string {
  const { PackageURL } = packageurl();
  try {
    const [type, namespace, name = '', ownVersion, stated, subpath] = PackageURL.parseString(text);
    const version = ownVersion ?? statedVersion;
    const qualifiers = cleaned(stated);
    const purl = canonical(
      type ?? '',
      namespace,
      name,
      version === '' ? undefined : version,
      qualifiers,
      subpath,
    );
    const trimmed = (purl.namespace ?? '') === '' ? '' : (namespace ?? '').replace(/^\/+|\/+$/g, '');
    return {
      ecosystem: purl.type,
      name: packageNameOf(purl.type, trimmed, name.trim()),
      version: purl.version ?? '',
      purl: canonicalPurl(purl),
      source: sourceOf(qualifiers),
    };
  } catch (error) {
    return messageOf(error).slice(0, 120);
  }
}

type Parts = ConstructorParameters<typeof PackageURL>;

/**
 * Some types ask for more than a purl has to have (a version for CRAN, for Go one that is semantic): a package that lacks
 * it is a package. What is missing of its name is not made up for.
 */
function canonical(type: string, ...rest: Parts extends [unknown, ...infer Rest] ? Rest : never): PackageURL {
  const { PackageURL } = packageurl();
  try {
    return new PackageURL(type, ...rest);
  } catch (error) {
    const lower = type.toLowerCase();
    const [, name] = rest;
    const lacksName = name.startsWith('@') || /requires a "(?:namespace|name)"/.test(messageOf(error));
    if (lacksName || !/^[a-z][a-z0-9.+-]*$/.test(lower)) throw error;
    const purl = new PackageURL('generic', ...rest);
    purl.type = lower;
    return purl;
  }
}

function cleaned(stated: unknown): Record<string, string> | undefined {
  // The parser gives URLSearchParams, whatever its types say.
  if (!(stated instanceof URLSearchParams)) return undefined;
  return Object.fromEntries(
    [...stated].map(([key, value]) => [key.toLowerCase(), withoutCredentials(value.trim())]),
  );
}

function sourceOf(qualifiers: Readonly<Record<string, string>> | undefined): Source {
  const [vcs, download, repository] = ['vcs_url', 'download_url', 'repository_url'].map(
    (key) => qualifiers?.[key],
  );
  if (vcs !== undefined && vcs !== '') {
    const [, url = vcs, commit] = /^(.+)[@#]([0-9a-f]{7,64})$/i.exec(vcs) ?? [];
    return commit === undefined ? { kind: 'git', url } : { kind: 'git', url, commit };
  }
  if (download !== undefined && download !== '') return { kind: 'url', url: download };
  if (repository === undefined || repository === '') return REGISTRY;
  return { kind: 'registry', url: repository.includes('://') ? repository : `https://${repository}` };
}
