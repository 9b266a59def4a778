import type { Source } from '../../../model/scan/lockfile.ts';
import { sourceOf } from '../../ecosystems/npm-source.ts';
import { REGISTRY } from '../../packages/sources.ts';

const PLACE = /^(?:file|link|portal):|^\.{0,2}\//;
const IN_MIRROR = /^[^/:]+\.tgz(?:#|$)/;

/** The source of an entry: from `resolved`, else from a pattern. Either can contain the commit. */
export function sourceOfEntry(resolved: string | undefined, patterns: readonly string[]): Source {
  // The first versions of yarn wrote the name of a file in an offline mirror.
  if (resolved === undefined || IN_MIRROR.test(resolved)) {
    const place = patterns.map(rangeOf).find((range) => PLACE.test(range));
    return place === undefined ? REGISTRY : sourceOf(place.replace(/^portal:/, 'file:'), undefined);
  }
  const source = sourceOf(resolved, undefined);
  if (source.kind !== 'git' || source.commit !== undefined) return source;
  for (const pattern of patterns) {
    const stated = sourceOf(rangeOf(pattern), undefined);
    if (stated.kind === 'git' && stated.commit !== undefined) return { ...source, commit: stated.commit };
  }
  return source;
}

function rangeOf(pattern: string): string {
  const at = pattern.indexOf('@', 1);
  return at < 0 ? '' : pattern.slice(at + 1);
}

const TARBALL = /\/((?:(?:@|%40)[^/]+(?:\/|%2f))?[^/@%]+)\/-\/[^/]*$/i;
const [SLASH, AT, PERCENT] = [47, 64, 37];

/** The name in the registry, from the tarball's URL: an override can replace one package with another. */
export function registryName(source: Source, stated: string): string {
  if (source.kind !== 'registry' || source.url === undefined) return stated;
  const { url } = source;
  const start = url.indexOf('/-/') - stated.length;
  // The usual case: the same name, without a different scope before it.
  if (start > 0 && url.charCodeAt(start - 1) === SLASH && url.startsWith(stated, start)) {
    const before = url.charCodeAt(url.lastIndexOf('/', start - 2) + 1);
    if (stated.charCodeAt(0) === AT || (before !== AT && before !== PERCENT)) return stated;
  }
  const found = TARBALL.exec(url.replace(/[?#].*$/, ''))?.[1];
  return found === undefined ? stated : found.replace(/%40/i, '@').replace(/%2f/i, '/');
}
