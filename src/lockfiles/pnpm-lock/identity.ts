import type { Source } from '../../model/lockfile/lockfile.ts';
import { registryName, sourceOf, versionOfTarball } from '../ecosystems/npm-source.ts';
import { gitSource, REGISTRY, registrySource } from '../packages/sources.ts';
import type { PnpmEntry, Resolution } from './document.ts';

interface Identity {
  readonly name: string;
  readonly version: string;
  readonly source: Source;
}

/** A key of lockfileVersion 6 with the host of a registry other than the default one. */
const HOST_AND_NAME = /^(?<host>[^@]+)\/(?<name>(?:@[^/@]+\/)?[^/@]+)@(?<reference>\d+\.\d+\.\d[^/]*)$/;
const VERSION = /^\d+\.\d+\.\d+/;

/**
 * Name, version and source of an entry. Keys are `/name/1.0.0_peers` up to lockfileVersion 5, `/name@1.0.0(peers)` in 6 and
 * `name@1.0.0` in 9. An entry that is not from a registry has its location in the key, and its name and version as fields.
 */
export function identify(entry: PnpmEntry): Identity {
  const { resolution } = entry;
  const { name, reference, host } = parseKey(withoutPeers(entry.key));
  const isVersion = VERSION.test(reference);
  const stated = resolution === undefined ? undefined : fromResolution(resolution);
  const source = stated ?? sourceOfReference(reference, isVersion, host);
  const named = entry.name ?? name;
  return {
    name: named === '' ? registryName(source, '') : named,
    version: entry.version ?? (isVersion ? reference : versionOfTarball(source)),
    source,
  };
}

/** The key without its peers in parentheses. */
export function withoutPeers(key: string): string {
  const bracket = key.indexOf('(');
  return bracket < 0 ? key : key.slice(0, bracket);
}

interface ParsedKey {
  readonly name: string;
  /** A version or a location. */
  readonly reference: string;
  /** Host of the registry; empty for the default one. */
  readonly host: string;
}

/** `file:../folder`, `https://host/archive.tgz`: the entry has the name and the version as fields. */
const LOCATION = /^[a-z][a-z+.-]*:/i;

function parseKey(key: string): ParsedKey {
  if (LOCATION.test(key)) return { name: '', reference: key, host: '' };
  const rest = key.startsWith('/') ? key.slice(1) : key;
  const at = rest.indexOf('@', 1);
  const slash = rest.indexOf('/', rest.startsWith('@') ? rest.indexOf('/') + 1 : 0);
  // `@` ends the name, unless it is in the peers of an older key.
  if (at > 0 && (slash < 0 || at < slash))
    return { name: rest.slice(0, at), reference: rest.slice(at + 1), host: '' };
  return parseOldKey(rest);
}

/** Parses `name/1.0.0_peers`, with or without a host before it. */
function parseOldKey(rest: string): ParsedKey {
  const parts = rest.split('/');
  const versionAt = parts.findIndex((part, index) => index > 0 && VERSION.test(part));
  const version = parts[versionAt];
  if (version === undefined) {
    const { host, name, reference } = HOST_AND_NAME.exec(rest)?.groups ?? {};
    if (host !== undefined && name !== undefined && reference !== undefined) return { name, reference, host };
    return { name: parts.at(-2) ?? rest, reference: rest, host: '' };
  }
  const scoped = parts[versionAt - 2]?.startsWith('@') === true;
  const nameAt = versionAt - (scoped ? 2 : 1);
  return {
    name: parts.slice(nameAt, versionAt).join('/'),
    reference: version.replace(/_.*$/s, ''),
    host: parts.slice(0, nameAt).join('/'),
  };
}

function fromResolution({ repo, commit, directory, tarball }: Resolution): Source | undefined {
  if (repo !== undefined) return gitSource(repo, commit);
  if (directory !== undefined) return { kind: 'path', path: directory };
  return tarball === undefined ? undefined : sourceOf(tarball, undefined);
}

const HOSTED = /^(github\.com|gitlab\.com|bitbucket\.org)\/([^/]+\/[^/]+)\/([0-9a-f]{7,64})$/i;

function sourceOfReference(reference: string, isVersion: boolean, host: string): Source {
  if (isVersion) return registrySource(host === '' ? undefined : `https://${host}/`);
  const hosted = HOSTED.exec(reference);
  if (hosted !== null) {
    const [, site = '', path = '', commit = ''] = hosted;
    return { kind: 'git', url: `https://${site}/${path}`, commit };
  }
  // A runtime such as Node.js, which pnpm downloads.
  if (reference.startsWith('runtime:')) return { kind: 'url', url: reference };
  // Neither a version nor a location: the caller reports it.
  return reference.includes(':') ? sourceOf(reference, undefined) : REGISTRY;
}
