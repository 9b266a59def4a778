import type { Source } from '../../model/scan/lockfile.ts';
import { withoutCredentials } from '../packages/credentials.ts';

const MAX_LENGTH = 2_048;
/** What yarn writes behind the path of an archive. */
const DIGEST = /(?<=\.t(?:ar\.)?gz)#[0-9a-f]{40}$/;
const LOCAL = /^(?:file|link):/i;
/** npm's short names of hosted repositories, with the host each stands for. */
const HOSTED = /^(github|gitlab|bitbucket|gist):(?!\/\/)/i;
const HOSTS: ReadonlyMap<string, string> = new Map([
  ['github', 'github.com'],
  ['gitlab', 'gitlab.com'],
  ['bitbucket', 'bitbucket.org'],
  ['gist', 'gist.github.com'],
]);
const GIT = /^(?:git(?:\+[a-z]+)?:|git@|ssh:\/\/|[a-z+]+:\/\/[^#]+\.git(?:#|$))/i;
/** Archives that hosts of repositories make of a commit; package managers fetch these in place of a clone. */
const ARCHIVES: readonly RegExp[] = [
  /^https:\/\/codeload\.(?<host>github\.com)\/(?<path>[^/?#]+\/[^/?#]+)\/tar\.gz\/(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>[^/?#]*gitlab[^/?#]*)\/api\/v4\/projects\/(?<path>[^/?#]+)\/repository\/archive\.tar\.gz\?(?:ref|sha)=(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>gitlab\.com)\/(?<path>[^?#]+?)\/repository\/archive\.tar\.gz\?ref=(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>bitbucket\.org)\/(?<path>[^/?#]+\/[^/?#]+)\/get\/(?<commit>[0-9a-f]{7,64})\.tar\.gz$/i,
  // A repository, by nothing but its path: what follows the hash of an archive is the archive's own digest.
  /^https:\/\/(?<host>github\.com|bitbucket\.org)\/(?<path>[^/?#]+\/[^/?#]+)\/?#(?:commit[=:])?(?<commit>[0-9a-f]{7,64})$/i,
  /^https:\/\/(?<host>gitlab\.com)\/(?<path>(?:(?!-\/|#)[^?#/]+\/)+[^?#/]+?)(?<!\.(?:tgz|gz|zip|bz2))\/?#(?:commit[=:])?(?<commit>[0-9a-f]{7,64})$/i,
];
/**
 * How registries and their mirrors lay out tarballs: `<base>/<name>/-/<file>.tgz`; GitLab repeats the scope before the
 * file, Gitea puts the version there.
 */
const REGISTRY_TARBALL = /^https?:\/\/[^?#]+\/-\/(?:(?:@|%40|\d)[^/?#]*\/)?[^/?#]+\.t(?:ar\.)?gz(?:[?#]|$)/i;
/** GitHub Packages: `<base>/download/<scope>/<name>/<version>/<hash>`; JSR: `<base>/~/<number>/@jsr/<name>/<version>.tgz`. */
const REGISTRY_DOWNLOAD =
  /^https?:\/\/(?:[^?#]+\/download\/@[^?#]+\/[0-9a-f]{40,}|npm\.jsr\.io\/~\/[^?#]+\.tgz)(?:[?#]|$)/i;

/**
 * Where an entry comes from, by its `resolved` and, in v1, by a `version` that is a location. An entry without either
 * came from the registry that npm was configured with.
 */
export function sourceOf(stated: string | undefined, version: string | undefined): Source {
  const resolved = stated === undefined ? undefined : withoutCredentials(stated);
  const location = isLocation(version) ? withoutCredentials(version) : resolved;
  if (location === undefined || location === '') return { kind: 'registry' };
  // Nearly all of them, told apart without the patterns below.
  if (isPlainTarball(location)) return { kind: 'registry', url: resolved ?? location };
  // Longer than any address; the patterns take more than linear time.
  if (location.length > MAX_LENGTH) return { kind: 'url', url: location.slice(0, MAX_LENGTH) };
  if (REGISTRY_TARBALL.test(location) || REGISTRY_DOWNLOAD.test(location)) {
    return { kind: 'registry', url: resolved ?? location };
  }
  if (LOCAL.test(location)) return { kind: 'path', path: location.replace(LOCAL, '').replace(DIGEST, '') };
  if (HOSTED.test(location) || GIT.test(location)) return git(location);
  if (/^https?:/i.test(location)) return archiveOfCommit(location) ?? { kind: 'url', url: location };
  return { kind: 'path', path: location };
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

const DIGIT = /^\d/;

/** Whether a v1 `version` is a place instead of a version. */
export function isLocation(version: string | undefined): version is string {
  return (
    version !== undefined &&
    !DIGIT.test(version) &&
    /^(?:file:|link:|https?:|git|github:|gitlab:|bitbucket:|gist:|[a-z+]+:\/\/)/i.test(version)
  );
}

function git(location: string): Source {
  const hash = location.indexOf('#');
  const url = unabbreviated(hash < 0 ? location : location.slice(0, hash));
  const fragment = hash < 0 ? '' : location.slice(hash + 1);
  const commit = /(?:^|&)(?:commit[=:])?([0-9a-f]{7,64})(?:&|$)/i.exec(fragment)?.[1];
  if (commit !== undefined) return { kind: 'git', url, commit };
  return { kind: 'git', url: fragment === '' ? url : `${url}#${fragment}` };
}

/** The URL that npm writes for a short name such as `github:owner/name`. */
function unabbreviated(url: string): string {
  const short = HOSTED.exec(url);
  const host = HOSTS.get((short?.[1] ?? '').toLowerCase());
  return short === null || host === undefined
    ? url
    : `git+ssh://git@${host}/${url.slice(short[0].length).replace(/\.git$/, '')}.git`;
}
