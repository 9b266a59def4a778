import type { Finding } from '../scan/finding.ts';
import type { Fix } from './fix.ts';

const FIXABLE: ReadonlySet<Fix['kind']> = new Set(['in-range', 'upgrade-direct', 'override']);

/** Whether the findings of a package can be cleared by changing a lockfile now. */
export function isFixable({ fixes = [] }: Pick<Finding, 'fixes'>): boolean {
  return fixes.some(({ kind, changes }) => FIXABLE.has(kind) && changes.length > 0);
}
