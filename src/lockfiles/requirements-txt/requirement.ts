import type { Integrity, Source } from '../../model/lockfile/lockfile.ts';
import { parseDigests } from '../ecosystems/python.ts';
import { gitSource, urlSource, withoutCredentials } from '../packages/sources.ts';

/** A requirement of PEP 508, or in another form that pip accepts. */
export interface Requirement {
  readonly name: string;
  /** Empty unless exactly one version is allowed. */
  readonly version: string;
  /** `undefined`: a registry. */
  readonly source: Source | undefined;
  readonly integrity: readonly Integrity[];
}

const HASH = /\s--hash(?:=|\s+)(\S+)/g;
/** For pip, options begin at the first word with a hyphen. */
const OPTIONS = /\s-[\s\S]*$/;
const NAMED = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\]\s*)?([^\s\w][\s\S]*)?$/;
const CLAUSE = /^(===|==|~=|!=|<=|>=|<|>)\s*(\S+)$/;
/** PEP 440 in all spellings. */
const VERSION =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i;
const LOCATION = /^(?:[a-z][a-z0-9+.-]*:\/\/|git@|file:|\.{0,2}[/\\]|[a-z]:\\|\.{1,2}$)/i;
const ARCHIVE = /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2|tar\.xz|tar)(?:[?#]|$)/i;

/** Parses a requirement. Returns `own` for the folder of the target, and any other string for the reason of a failure. */
export function parseRequirement(statement: string): Requirement | 'own' | string {
  const integrity = parseDigests([...` ${statement}`.matchAll(HASH)].map(([, digest = '']) => digest));
  const text = statement.replace(OPTIONS, '').trim();
  const bare = withoutMarker(text);
  if (/^\.(?:\[[^\]]*\])?$/.test(bare)) return 'own';
  if (LOCATION.test(bare) || (ARCHIVE.test(bare) && !bare.includes('@ '))) return located(bare, integrity);
  const named = NAMED.exec(bare);
  if (named === null) return 'is not a requirement';
  const [, name = '', rest = ''] = named;
  if (rest.startsWith('@')) {
    if (!LOCATION.test(rest.slice(1).trim())) return 'has an invalid location after `@`';
    return { name, version: '', source: sourceAt(rest.slice(1).trim()), integrity };
  }
  // PEP 508 does not allow a version before the location, but tools write it.
  const [stated = '', place] = rest.split(/(?<!\s)\s+@\s+/, 2);
  const version = pinnedVersion(stated);
  if (version === undefined || (place !== undefined && !LOCATION.test(place))) {
    return `has an invalid version: ${rest.slice(0, 100)}`;
  }
  return { name, version, source: place === undefined ? undefined : sourceAt(place), integrity };
}

/** Removes the marker after `;`. In a URL, a space must precede it. */
function withoutMarker(text: string): string {
  const isUrl = LOCATION.test(text) || /^[\w.[\],\s-]+@/.test(text);
  const at = isUrl ? text.search(/\s;/) : text.indexOf(';');
  return (at < 0 ? text : text.slice(0, at)).trim();
}

/** The only allowed version; empty when there are several; `undefined` for clauses that PEP 440 does not allow. */
function pinnedVersion(stated: string): string | undefined {
  const inner = stated.replace(/^\((.*)\)$/s, '$1').trim();
  if (inner === '') return '';
  let pinned = '';
  for (const part of inner.split(',')) {
    const clause = CLAUSE.exec(part.trim());
    if (clause === null) return part.trim() === '' ? pinned : undefined;
    const [, operator, version = ''] = clause;
    const isWild = version.endsWith('.*');
    if (operator !== '===' && !VERSION.test(isWild ? version.slice(0, -2) : version)) return undefined;
    // PEP 440 ignores a leading `v`.
    if (operator === '===') pinned = version;
    else if (operator === '==' && !isWild) pinned = version.replace(/^v/i, '');
  }
  return pinned;
}

/** Paths and URLs are shorter. */
const MAX_LOCATION = 2_048;

/** Archives of repository hosts, whose files have the name of the commit or tag. */
const REPOSITORY_ARCHIVE =
  /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)+([^/?#]+)\/(?:-\/)?(?:archive|tarball|zipball)\//i;

/** A requirement that is a location: its name is in the fragment or in the file name. */
function located(text: string, integrity: readonly Integrity[]): Requirement | string {
  const place = text.replace(/(?<!\s)\s*\[[^[\]]*\]$/, '');
  if (place.length > MAX_LOCATION) return `is a location of more than ${MAX_LOCATION} characters`;
  const egg = /[#&]egg=([A-Za-z0-9._-]+)/.exec(place)?.[1];
  const last = place
    .replace(/[?#].*$/s, '')
    .replace(/(?<![/\\])[/\\]+$/, '')
    .split(/[/\\]/)
    .at(-1);
  const file = /^(.+)\.(?:whl|zip|tgz|tar(?:\.\w+)?)$/is.exec(last ?? '')?.[1];
  // `name-version-…` in wheels, `name-version` in source archives.
  const parts = file === undefined ? null : /^(.+?)-(v?\d[^-]*)(?:-.*)?$/s.exec(file);
  const repository = REPOSITORY_ARCHIVE.exec(place)?.[1];
  const folder = last?.replace(/@[^@]*$/, '').replace(/\.git$/, '');
  const name = egg ?? repository ?? parts?.[1] ?? file ?? folder ?? '';
  if (name === '' || /^\.+$/.test(name)) return 'is a location without the name of a package';
  return {
    name,
    version: (parts?.[2] ?? '').replace(/%2b/gi, '+').replace(/%21/g, '!'),
    source: sourceAt(place),
    integrity,
  };
}

const COMMIT = /^[0-9a-f]{7,64}$/i;

function sourceAt(stated: string): Source {
  const place = withoutCredentials(stated);
  const version = /^(?:git|hg|svn|bzr)\+/.exec(place);
  if (version !== null || place.startsWith('git@')) {
    const url = place.replace(/#.*$/s, '');
    const at = url.lastIndexOf('@');
    // A branch or a tag is not a commit: it stays in the URL.
    const isCommit =
      at > url.lastIndexOf('/') && at > url.indexOf('://') + 3 && COMMIT.test(url.slice(at + 1));
    return isCommit ? gitSource(url.slice(0, at), url.slice(at + 1)) : gitSource(url, undefined);
  }
  if (/^https?:/i.test(place)) return urlSource(place);
  return { kind: 'path', path: place.replace(/^file:(?:\/\/)?/, '') };
}
