import { compare, explain, satisfies, validRange } from '@renovatebot/pep440';
import type { VersionScheme } from './version-scheme.ts';

/** PyPI: PEP 440. Poetry's caret and tilde requirements are translated. */
export const python: VersionScheme = {
  isValid: (version) => explain(version) !== null,
  compare,
  isPrerelease(version) {
    const parsed = explain(version);
    return parsed?.is_prerelease === true || parsed?.is_devrelease === true;
  },
  line: (version) => releaseOf(version)[0] ?? '',
  satisfies(version, requirement) {
    const alternatives = requirement.split('||').map((part) => specifier(part.trim()));
    let permitted: boolean | undefined;
    for (const alternative of alternatives) {
      if (alternative === undefined) return undefined;
      permitted = permitted === true || matches(version, alternative);
    }
    return permitted;
  },
};

function matches(version: string, specifiers: string): boolean {
  return specifiers === '' || satisfies(version, specifiers, { prereleases: python.isPrerelease(version) });
}

/** The requirement as specifiers of PEP 440; `undefined` for another text. */
function specifier(requirement: string): string | undefined {
  const parts = requirement.replace(/^\((.*)\)$/, '$1').split(',');
  const translated = parts.map((part) => poetryPart(part.trim())).filter((part) => part !== '');
  const text = translated.join(',');
  return text === '' || validRange(text) ? text : undefined;
}

/** Poetry: `^1.2`, `~1.2`, `1.2.*`, `*`, and a bare version, which has to be equal. */
function poetryPart(part: string): string {
  if (part === '' || part === '*') return '';
  const version = part.slice(1).trim();
  if (part.startsWith('^')) return `>=${version},<${caretBound(releaseOf(version))}`;
  if (part.startsWith('~') && !part.startsWith('~='))
    return `>=${version},<${tildeBound(releaseOf(version))}`;
  return /^\d/.test(part) ? `==${part}` : part;
}

/** The first number that is not 0, or the last one, may not change. */
function caretBound(release: readonly string[]): string {
  const first = release.findIndex((number) => Number(number) > 0);
  return increased(release, first === -1 ? release.length - 1 : first);
}

/** With a minor version that, else the major version, may not change. */
function tildeBound(release: readonly string[]): string {
  return increased(release, release.length > 1 ? 1 : 0);
}

function increased(release: readonly string[], at: number): string {
  return [...release.slice(0, at), String(Number(release[at] ?? 0) + 1)].join('.');
}

function releaseOf(version: string): readonly string[] {
  return /^v?(?:\d+!)?([\d.]+)/.exec(version)?.[1]?.split('.').filter(Boolean) ?? [];
}
