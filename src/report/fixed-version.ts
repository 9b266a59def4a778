import type { Fix } from '../model/advice/fix.ts';
import type { Finding } from '../model/scan/finding.ts';

/** Whether the findings of a package can be cleared by changing the lockfile now. */
export function isFixable({ fixes = [] }: Pick<Finding, 'fixes'>): boolean {
  return fixes.some(({ kind, changes }) => FIXABLE.has(kind) && changes.length > 0);
}

const FIXABLE: ReadonlySet<Fix['kind']> = new Set(['in-range', 'upgrade-direct', 'override']);

/** The versions of the package that clear its findings, one for each lockfile that needs another one. */
export function fixedVersion({ fixes = [] }: Pick<Finding, 'fixes'>): string | undefined {
  const versions = fixes.flatMap(({ kind, version }) => (kind === 'none' ? [] : (version ?? [])));
  return versions.length === 0 ? undefined : [...new Set(versions)].join(', ');
}
