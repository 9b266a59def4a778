import type { Finding } from '../model/scan/finding.ts';

/** The versions of the package that clear its findings, one for each lockfile that needs another one. */
export function fixedVersion({ fixes = [] }: Pick<Finding, 'fixes'>): string | undefined {
  const versions = fixes.flatMap(({ kind, version }) => (kind === 'none' ? [] : (version ?? [])));
  return versions.length === 0 ? undefined : [...new Set(versions)].join(', ');
}
