import type { Source } from '../../../model/scan/lockfile.ts';
import { sourceOf } from '../../ecosystems/npm-source.ts';

const PLACE = /^(?:file|link|portal):|^\.{0,2}\//;
const IN_MIRROR = /^[^/:]+\.tgz(?:#|$)/;
const REGISTRY: Source = { kind: 'registry' };

/** Where an entry comes from: its `resolved`, else its pattern says so; a commit may stand in either. */
export function sourceOfEntry(resolved: string | undefined, patterns: readonly string[]): Source {
  // With an offline mirror the first versions of yarn wrote the name of a file in it.
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

/** The name in the registry, which a tarball tells even where an override replaced one package by another. */
export function registryName(source: Source, stated: string): string {
  if (source.kind !== 'registry' || source.url === undefined) return stated;
  const { url } = source;
  const start = url.indexOf('/-/') - stated.length;
  // Nearly always the same name, and not below the scope of another.
  if (start > 0 && url.charCodeAt(start - 1) === SLASH && url.startsWith(stated, start)) {
    const before = url.charCodeAt(url.lastIndexOf('/', start - 2) + 1);
    if (stated.charCodeAt(0) === AT || (before !== AT && before !== PERCENT)) return stated;
  }
  const found = TARBALL.exec(url.replace(/[?#].*$/, ''))?.[1];
  return found === undefined ? stated : found.replace(/%40/i, '@').replace(/%2f/i, '/');
}
