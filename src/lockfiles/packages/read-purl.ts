import type { PackageURL } from 'packageurl-js';
import { messageOf } from '../../model/errors.ts';
import type { Source } from '../../model/lockfile/lockfile.ts';
import { isRegistryTarball } from '../ecosystems/npm-source.ts';
import { canonicalPurl, packageNameOf, packageurl, withCapitals } from './purl.ts';
import { gitSource, REGISTRY, urlSource, withoutCredentials } from './sources.ts';

/** The facts in a purl. */
export interface PurlPackage {
  /** The purl type. */
  readonly ecosystem: string;
  /** As the ecosystem writes it, as far as the purl preserves that. */
  readonly name: string;
  readonly version: string;
  /** Canonical, without credentials. */
  readonly purl: string;
  readonly source: Source;
}

/**
 * Reads a purl in a file, or returns why it is invalid. `statedVersion` is the version that the file states in addition to
 * the purl, for purls without one.
 */
export function readPurl(text: string, statedVersion: string): PurlPackage | string {
  const repaired = withoutEncodedVersion(text, statedVersion);
  return readPlain(repaired) ?? readAny(repaired.trim(), statedVersion);
}

/** Decodes the `@` before the version where a tool encoded it, which would make the version a part of the name. */
function withoutEncodedVersion(text: string, version: string): string {
  if (version === '' || !text.endsWith(version)) return text;
  const start = text.length - version.length - 3;
  const isEncoded =
    text.startsWith('%40', start) &&
    text[start - 1] !== '/' &&
    text.lastIndexOf('@') <= text.lastIndexOf('/') + 1;
  return isEncoded ? `${text.slice(0, start)}@${version}` : text;
}

/** Type, namespace, name, version, and the qualifier `type`, which Maven's tools always write. */
const PLAIN =
  /^pkg:(npm|maven|nuget|cargo|gem|pypi|golang)\/((?:[\w.~-]+\/)*|%40[\w.~-]+\/)([\w.~-]+)@([\w.~+-]+)(?:\?type=[\w.-]+)?$/;
const GO_VERSION = /^(?!v)|^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** A fast path for most purls; a property test checks that it equals the general case. */
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

/** Whether the rules of the type would leave the parts unchanged. */
function isCanonical(type: string, path: string, baseName: string, version: string): boolean {
  const scoped = path.startsWith('%');
  switch (type) {
    case 'npm':
      return path === '' || scoped;
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

/** The form in which pnpm writes the version of a package in a folder. */
const FOLDER = /^(?:file|link|portal|workspace):(.+)$/is;

function readAny(text: string, statedVersion: string): PurlPackage | string {
  const { PackageURL } = packageurl();
  try {
    const [type, namespace, name = '', ownVersion, stated, subpath] = PackageURL.parseString(text);
    const named = ownVersion ?? statedVersion;
    const given = cleaned(stated);
    const folder = type?.toLowerCase() === 'npm' ? FOLDER.exec(named)?.[1] : undefined;
    const source: Source = folder === undefined ? sourceOf(type, given) : { kind: 'path', path: folder };
    const version = folder === undefined ? named : '';
    const qualifiers = source.kind === 'registry' ? withoutPlaces(given) : given;
    const purl = canonical(
      type ?? '',
      namespace,
      name,
      version === '' ? undefined : version,
      qualifiers,
      subpath,
    );
    const trimmed = (purl.namespace ?? '') === '' ? '' : (namespace ?? '').replace(/^\/+|(?<!\/)\/+$/g, '');
    return {
      ecosystem: purl.type,
      name: packageNameOf(purl.type, trimmed, name.trim()),
      version: purl.version ?? '',
      purl: canonicalPurl(purl),
      source,
    };
  } catch (error) {
    return messageOf(error).slice(0, 120);
  }
}

type Parts = ConstructorParameters<typeof PackageURL>;

/**
 * Builds a purl without the extra requirements of some types (a version for CRAN, a semantic version for Go), because such
 * an entry is a package nevertheless. A missing part of the name is an error.
 */
function canonical(type: string, ...rest: Parts extends [unknown, ...infer Rest] ? Rest : never): PackageURL {
  const { PackageURL } = packageurl();
  const [namespace, name] = rest;
  try {
    return withCapitals(new PackageURL(type, ...rest), namespace ?? undefined, name);
  } catch (error) {
    const lower = type.toLowerCase();
    const lacksName = name.startsWith('@') || /requires a "(?:namespace|name)"/.test(messageOf(error));
    if (lacksName || !/^[a-z][a-z0-9.+-]*$/.test(lower)) throw error;
    const purl = new PackageURL('generic', ...rest);
    purl.type = lower;
    return purl;
  }
}

function cleaned(stated: unknown): Record<string, string> | undefined {
  // packageurl-js returns URLSearchParams, which its types do not say.
  if (!(stated instanceof URLSearchParams)) return undefined;
  return Object.fromEntries(
    [...stated].map(([key, value]) => [key.toLowerCase(), withoutCredentials(value.trim())]),
  );
}

/** A public repository without a commit. */
const PUBLIC_REPOSITORY =
  /^(?:git:|(?:git\+)?https:)\/\/(?:github\.com|gitlab\.com|bitbucket\.org)\/[^@#]*$/i;

/** The qualifiers without the places of the tarball and the repository, which do not identify a package of a registry. */
function withoutPlaces(qualifiers: Record<string, string> | undefined): Record<string, string> | undefined {
  if (qualifiers === undefined) return undefined;
  const { download_url: _download, vcs_url: _vcs, ...rest } = qualifiers;
  return rest;
}

function sourceOf(
  type: string | undefined,
  qualifiers: Readonly<Record<string, string>> | undefined,
): Source {
  const [vcs, download, repository] = ['vcs_url', 'download_url', 'repository_url'].map(
    (key) => qualifiers?.[key],
  );
  // The CycloneDX library for JavaScript names the repository of the manifest, for packages of the registry, too.
  const isAbout = type?.toLowerCase() === 'npm' && vcs !== undefined && PUBLIC_REPOSITORY.test(vcs);
  if (vcs !== undefined && vcs !== '' && !isAbout) {
    const [, url = vcs, commit] = /^(.+)[@#]([0-9a-f]{7,64})$/i.exec(vcs) ?? [];
    return gitSource(url, commit);
  }
  if (download !== undefined && download !== '') {
    // The CycloneDX tools for npm and yarn name the tarball of every package of another registry than npm's own.
    const isNpm = type?.toLowerCase() === 'npm' && isRegistryTarball(download);
    return isNpm ? { kind: 'registry', url: download } : urlSource(download);
  }
  if (repository === undefined || repository === '') return REGISTRY;
  return { kind: 'registry', url: repository.includes('://') ? repository : `https://${repository}` };
}
