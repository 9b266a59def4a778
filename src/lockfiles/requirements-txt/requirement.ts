import type { Integrity, Source } from '../../model/scan/lockfile.ts';
import { parseDigests } from '../ecosystems/python-digests.ts';
import { withoutCredentials } from '../packages/credentials.ts';

/** One requirement of PEP 508, or of the forms that pip takes beside it. */
export interface Requirement {
  readonly name: string;
  /** Empty unless exactly one version fits. */
  readonly version: string;
  /** `undefined`: a registry. */
  readonly source: Source | undefined;
  readonly integrity: readonly Integrity[];
}

const HASH = /\s--hash(?:=|\s+)(\S+)/g;
/** To pip everything from the first word with a hyphen on is an option. */
const OPTIONS = /\s-[\s\S]*$/;
const NAMED = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\]\s*)?([^\s\w][\s\S]*)?$/;
const CLAUSE = /^(===|==|~=|!=|<=|>=|<|>)\s*(\S+)$/;
/** PEP 440, in all the spellings that it allows. */
const VERSION =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i;
const LOCATION = /^(?:[a-z][a-z0-9+.-]*:\/\/|git@|file:|\.{0,2}[/\\]|[a-z]:\\|\.{1,2}$)/i;
const ARCHIVE = /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2|tar\.xz|tar)(?:[?#]|$)/i;

/** Reads a requirement; `own` for the folder of the target itself, any other text is why it cannot be read. */
export function parseRequirement(statement: string): Requirement | 'own' | string {
  const integrity = parseDigests([...` ${statement}`.matchAll(HASH)].map(([, digest = '']) => digest));
  const text = statement.replace(OPTIONS, '').trim();
  const bare = withoutMarker(text);
  if (/^\.(?:\[[^\]]*\])?$/.test(bare)) return 'own';
  if (LOCATION.test(bare) || (ARCHIVE.test(bare) && !bare.includes('@ '))) return located(bare, integrity);
  const named = NAMED.exec(bare);
  if (named === null) return 'is no requirement that can be read';
  const [, name = '', rest = ''] = named;
  if (rest.startsWith('@')) {
    if (!LOCATION.test(rest.slice(1).trim())) return 'is to come from a place that is none';
    return { name, version: '', source: sourceAt(rest.slice(1).trim()), integrity };
  }
  // A version before the place is more than PEP 508 allows, and is written all the same.
  const [stated = '', place] = rest.split(/\s+@\s+/, 2);
  const version = pinnedVersion(stated);
  if (version === undefined || (place !== undefined && !LOCATION.test(place))) {
    return `states a version that is none: ${rest.slice(0, 100)}`;
  }
  return { name, version, source: place === undefined ? undefined : sourceAt(place), integrity };
}

/** The marker follows a `;`, after a space where the requirement is a URL. */
function withoutMarker(text: string): string {
  const isUrl = LOCATION.test(text) || /^[\w.[\],\s-]+@/.test(text);
  const at = isUrl ? text.search(/\s;/) : text.indexOf(';');
  return (at < 0 ? text : text.slice(0, at)).trim();
}

/** The one version that fits; empty when others do; `undefined` when the clauses are none of PEP 440. */
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
    // PEP 440 takes a leading `v` for nothing.
    if (operator === '===') pinned = version;
    else if (operator === '==' && !isWild) pinned = version.replace(/^v/i, '');
  }
  return pinned;
}

/** Longer than any path or address; the patterns take more than linear time. */
const MAX_PLACE = 2_048;

/** What a host of repositories makes an archive of: the file is named after the commit or the tag. */
const REPOSITORY_ARCHIVE =
  /^https?:\/\/[^/?#]+\/(?:[^/?#]+\/)+([^/?#]+)\/(?:-\/)?(?:archive|tarball|zipball)\//i;

/** A requirement that is a place: its name stands in the fragment, or in the name of the file. */
function located(text: string, integrity: readonly Integrity[]): Requirement | string {
  const place = text.replace(/\s*\[[^\]]*\]$/, '');
  if (place.length > MAX_PLACE) return 'is a place of more characters than any has';
  const egg = /[#&]egg=([A-Za-z0-9._-]+)/.exec(place)?.[1];
  const last = place
    .replace(/[?#].*$/s, '')
    .replace(/[/\\]+$/, '')
    .split(/[/\\]/)
    .at(-1);
  const file = /^(.+)\.(?:whl|zip|tgz|tar(?:\.\w+)?)$/is.exec(last ?? '')?.[1];
  // `name-version-…` in wheels, `name-version` in source archives.
  const parts = file === undefined ? null : /^(.+?)-(v?\d[^-]*)(?:-.*)?$/s.exec(file);
  const repository = REPOSITORY_ARCHIVE.exec(place)?.[1];
  const folder = last?.replace(/@[^@]*$/, '').replace(/\.git$/, '');
  const name = egg ?? repository ?? parts?.[1] ?? file ?? folder ?? '';
  if (name === '' || /^\.+$/.test(name)) return 'is a place whose package has no name';
  return { name, version: decoded(parts?.[2] ?? ''), source: sourceAt(place), integrity };
}

/** `1.0%2Bcpu` in URLs. */
function decoded(version: string): string {
  return version.replace(/%2b/gi, '+').replace(/%21/g, '!');
}

const COMMIT = /^[0-9a-f]{7,64}$/i;

function sourceAt(stated: string): Source {
  const place = withoutCredentials(stated);
  const version = /^(?:git|hg|svn|bzr)\+/.exec(place);
  if (version !== null || place.startsWith('git@')) {
    const url = place.replace(/#.*$/s, '');
    const at = url.lastIndexOf('@');
    // A branch or a tag, which may stand for another commit tomorrow, stays in the URL.
    const isCommit =
      at > url.lastIndexOf('/') && at > url.indexOf('://') + 3 && COMMIT.test(url.slice(at + 1));
    return isCommit
      ? { kind: 'git', url: url.slice(0, at), commit: url.slice(at + 1) }
      : { kind: 'git', url };
  }
  if (/^https?:/i.test(place)) return { kind: 'url', url: place };
  return { kind: 'path', path: place.replace(/^file:(?:\/\/)?/, '') };
}
