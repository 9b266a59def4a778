import type { Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { gitSource, REGISTRY, withoutCredentials } from '../packages/sources.ts';

const MAX_LENGTH = 2_048;
/** yarn's checksum after the path of an archive. */
const DIGEST = /(?<=\.t(?:ar\.)?gz)#[0-9a-f]{40}$/;
const LOCAL = /^(?:file|link):/i;
/** npm's short names of repository hosts. */
const HOSTED = /^(github|gitlab|bitbucket|gist):(?!\/\/)/i;
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['github', 'github.com'],
  ['gitlab', 'gitlab.com'],
  ['bitbucket', 'bitbucket.org'],
  ['gist', 'gist.github.com'],
]);
const GIT = /^(?:git(?:\+[a-z]+)?:|git@|ssh:\/\/|[a-z+]+:\/\/[^#]+\.git(?:#|$))/i;
/** URLs of archives of a commit, which package managers download instead of a clone. */
const ARCHIVES: readonly RegExp[] = [
  /^https:\/\/codeload\.(?<host>github\.com)\/(?<path>[^/?#]+\/[^/?#]+)\/tar\.gz\/(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?=[^/?#]*gitlab)(?<host>[^/?#]+)\/api\/v4\/projects\/(?<path>[^/?#]+)\/repository\/archive\.tar\.gz\?(?:ref|sha)=(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>gitlab\.com)\/(?<path>[^?#]+?)\/repository\/archive\.tar\.gz\?ref=(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>bitbucket\.org)\/(?<path>[^/?#]+\/[^/?#]+)\/get\/(?<commit>[0-9a-f]{7,64})\.tar\.gz$/i,
  // A repository without `.git`. Not for archives, whose fragment is their digest.
  /^https:\/\/(?<host>github\.com|bitbucket\.org)\/(?<path>[^/?#]+\/[^/?#]+)\/?#(?:commit[=:])?(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>gitlab\.com)\/(?<path>(?:(?!-\/|#)[^?#/]+\/)+[^?#/]+?)(?<!\.(?:tgz|gz|zip|bz2))\/?#(?:commit[=:])?(?<commit>[0-9a-f]{7,64})$/i,
];
/**
 * Tarballs of registries and their mirrors: `<base>/<name>/-/<file>.tgz`. GitLab repeats the scope before the file, Gitea
 * has the version there.
 */
const REGISTRY_TARBALL = /^https?:\/\/[^?#]+\/-\/(?:(?:@|%40|\d)[^/?#]*\/)?[^/?#]+\.t(?:ar\.)?gz(?:[?#]|$)/i;
/** GitHub Packages: `<base>/download/<scope>/<name>/<version>/<hash>`; JSR: `<base>/~/<number>/@jsr/<name>/<version>.tgz`. */
const REGISTRY_DOWNLOAD =
  /^https?:\/\/(?:(?=[^?#]+?\/download\/@[^/?#])[^?#]+\/[0-9a-f]{40,}|npm\.jsr\.io\/~\/[^?#]+\.tgz)(?:[?#]|$)/i;

/**
 * The source of an entry: from `stated`, its `resolved` field, or in lockfileVersion 1 from a `version` that is a location.
 * Without either it is the configured registry.
 */
export function sourceOf(stated: string | undefined, version: string | undefined): Source {
  const resolved = stated === undefined ? undefined : withoutCredentials(stated);
  const location = isLocation(version) ? withoutCredentials(version) : resolved;
  if (location === undefined || location === '') return REGISTRY;
  // A fast path for nearly all locations.
  if (isPlainTarball(location)) return { kind: 'registry', url: resolved ?? location };
  // Not a valid URL.
  if (location.length > MAX_LENGTH) return { kind: 'url', url: location.slice(0, MAX_LENGTH) };
  if (isRegistryTarball(location)) {
    return { kind: 'registry', url: resolved ?? location };
  }
  if (LOCAL.test(location)) return { kind: 'path', path: location.replace(LOCAL, '').replace(DIGEST, '') };
  if (HOSTED.test(location) || GIT.test(location)) return git(location);
  if (/^https?:/i.test(location)) return archiveOfCommit(location) ?? { kind: 'url', url: location };
  return { kind: 'path', path: location };
}

/** Whether a URL is that of a tarball of a registry of npm packages, of whichever owner. */
export function isRegistryTarball(url: string): boolean {
  return url.length <= MAX_LENGTH && (REGISTRY_TARBALL.test(url) || REGISTRY_DOWNLOAD.test(url));
}

/**
 * The version in the URL of a registry's tarball: `…/-/name-1.0.0.tgz`, or after the name where the registry has its tarballs at other
 * URLs. Empty for any other source.
 */
export function versionOfTarball(source: Source): string {
  const url = source.kind === 'registry' ? (source.url ?? '') : '';
  if (!isRegistryTarball(url)) return '';
  const path = url.replace(/[?#].*$/s, '');
  const parts = path.split('/');
  const folder = parts[parts.lastIndexOf('-') - 1];
  const file = folder === undefined ? '' : (parts.at(-1) ?? '').replace(/\.t(?:ar\.)?gz$/, '');
  // A name may contain digits and hyphens itself.
  const prefix = `${folder?.replace(/^.*%2f/i, '')}-`;
  const stated = file.startsWith(prefix) ? file.slice(prefix.length) : file.replace(/^.*?-(?=\d+\.\d)/, '');
  const version = file === '' ? (DOWNLOAD_VERSION.exec(path)?.[1] ?? '') : stated;
  return /^\d+\.\d+\.\d+(?:[-+].*)?$/.test(version) ? version : '';
}

const DOWNLOAD_VERSION = /\/(\d[^/]*?)(?:\/[0-9a-f]{40,}|\.tgz)$/i;
const TARBALL = /\/((?:(?:@|%40)[^/]+(?:\/|%2f))?[^/@%]+)\/-\/[^/]*$/i;
const [SLASH, AT, PERCENT] = [47, 64, 37];

/**
 * The name in the registry, from the tarball's URL: an override can replace one package with another. A URL without a scope is no
 * other name, because not every registry has the scope in the URLs of its tarballs.
 */
export function registryName(source: Source, stated: string): string {
  if (source.kind !== 'registry' || source.url === undefined) return stated;
  const { url } = source;
  const start = url.indexOf('/-/') - stated.length;
  // The usual case: the same name, without a different scope before it.
  if (start > 0 && url.charCodeAt(start - 1) === SLASH && url.startsWith(stated, start)) {
    const before = url.charCodeAt(url.lastIndexOf('/', start - 2) + 1);
    if (stated.charCodeAt(0) === AT || (before !== AT && before !== PERCENT)) return stated;
  }
  const found = TARBALL.exec(url.replace(/[?#].*$/s, ''))?.[1]
    ?.replace(/%40/i, '@')
    .replace(/%2f/i, '/');
  return found === undefined || stated.endsWith(`/${found}`) ? stated : found;
}

/** Whether a location is `https://…/-/….tgz`, followed at most by yarn's checksum. */
function isPlainTarball(location: string): boolean {
  const at = location.indexOf('/-/');
  if (at < 0 || !location.startsWith('https://') || location.includes('/', at + 3)) return false;
  return location.endsWith('.tgz') || location.charCodeAt(location.length - 41) === HASH;
}

const HASH = 35;

function archiveOfCommit(location: string): Source | undefined {
  for (const pattern of ARCHIVES) {
    const { host, path, commit } = pattern.exec(location)?.groups ?? {};
    if (host === undefined || path === undefined || commit === undefined) continue;
    return { kind: 'git', url: `https://${host}/${path.replaceAll(/%2f/gi, '/')}`, commit };
  }
  return undefined;
}

/** Whether a `version` of lockfileVersion 1 is a location. */
export function isLocation(version: string | undefined): version is string {
  if (version === undefined) return false;
  const first = version.charCodeAt(0);
  // Nearly all versions begin with a digit.
  if (first >= 48 && first <= 57) return false;
  return /^(?:file:|link:|https?:|git|github:|gitlab:|bitbucket:|gist:|[a-z+]+:\/\/)/i.test(version);
}

function git(location: string): Source {
  const hash = location.indexOf('#');
  const url = unabbreviated(hash < 0 ? location : location.slice(0, hash));
  const fragment = hash < 0 ? '' : location.slice(hash + 1);
  const commit = /(?:^|&)(?:commit[=:])?([0-9a-f]{7,64})(?:&|$)/i.exec(fragment)?.[1];
  return gitSource(commit !== undefined || fragment === '' ? url : `${url}#${fragment}`, commit);
}

/** The URL that npm writes for a short name such as `github:owner/name`. */
function unabbreviated(url: string): string {
  const short = HOSTED.exec(url);
  const host = HOSTS.get((short?.[1] ?? '').toLowerCase());
  return short === null || host === undefined
    ? url
    : `git+ssh://git@${host}/${url.slice(short[0].length).replace(/\.git$/, '')}.git`;
}

/** Parses a Subresource Integrity string, which can contain several digests and options after `?`. */
export function parseIntegrity(text: string | undefined): readonly Integrity[] {
  if (text === undefined) return NONE;
  return text.includes(' ') ? text.split(' ').flatMap(parseDigest) : parseDigest(text);
}

const NONE: readonly Integrity[] = [];

function parseDigest(text: string): readonly Integrity[] {
  // A fast path for the form that npm writes today.
  if (text.startsWith('sha512-') && !text.includes('?')) {
    const digest: Integrity = { algorithm: 'sha512', value: text.slice(7), encoding: 'base64' };
    return [digest];
  }
  const dash = text.indexOf('-');
  if (dash <= 0) return NONE;
  const options = text.indexOf('?', dash);
  const value = options < 0 ? text.slice(dash + 1) : text.slice(dash + 1, options);
  return [{ algorithm: text.slice(0, dash).toLowerCase(), value, encoding: 'base64' }];
}
