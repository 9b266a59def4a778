import {
  comparePython,
  isPythonPrerelease,
  type PythonVersion,
  parsePython,
  pythonSpecifiers,
} from './pep440.ts';
import type { VersionScheme } from './version-scheme.ts';

/** PyPI: PEP 440. Poetry's caret and tilde requirements are translated. */
export const python: VersionScheme = {
  isValid: (version) => parsePython(version) !== undefined,
  compare: (left, right) => comparePython(versionOf(left), versionOf(right)),
  isPrerelease: (version) => isPythonPrerelease(versionOf(version)),
  line: (version) => releaseOf(version)[0] ?? '',
  satisfies(version, requirement) {
    let permitted = false;
    for (const alternative of requirement.split('||')) {
      const text = specifiers(alternative.trim());
      const holds = text === '' ? () => true : pythonSpecifiers(text);
      if (holds === undefined) return undefined;
      permitted ||= holds(version);
    }
    return permitted;
  },
};

function versionOf(text: string): PythonVersion {
  const parsed = parsePython(text);
  if (parsed === undefined) throw new RangeError(`not a version of PEP 440: ${text}`);
  return parsed;
}

/** The requirement as specifiers of PEP 440; empty when it permits every version. */
function specifiers(requirement: string): string {
  const parts = requirement.replace(/^\((.*)\)$/, '$1').split(',');
  return parts
    .map((part) => poetryPart(part.trim()))
    .filter((part) => part !== '')
    .join(',');
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
  const first = release.findIndex((number) => BigInt(number) > 0n);
  return increased(release, first === -1 ? release.length - 1 : first);
}

/** The minor version may not change, or the major version where there is no minor one. */
function tildeBound(release: readonly string[]): string {
  return increased(release, release.length > 1 ? 1 : 0);
}

function increased(release: readonly string[], at: number): string {
  return [...release.slice(0, at), String(BigInt(release[at] ?? 0) + 1n)].join('.');
}

function releaseOf(version: string): readonly string[] {
  return /^v?(?:\d+!)?([\d.]+)/.exec(version)?.[1]?.split('.').filter(Boolean) ?? [];
}
