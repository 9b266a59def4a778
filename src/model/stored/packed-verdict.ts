import { isObject } from '../json-object.ts';
import type { Finding } from '../scan/finding.ts';
import type { Verdict } from '../scan/verdict.ts';
import type { StoredForm } from './kind.ts';

/** A verdict as it is stored: a change has the position of its finding in `findings`, where that has the finding. */
export const PACKED_VERDICT: StoredForm<Verdict> = {
  async pack(verdict) {
    const positions = new Map<Finding, number>(verdict.findings.map((finding, index) => [finding, index]));
    return {
      ...verdict,
      changes: verdict.changes.map((change) => ({
        ...change,
        finding: positions.get(change.finding) ?? change.finding,
      })),
    };
  },
  async unpack(stored) {
    if (!isObject(stored) || !Array.isArray(stored['findings']) || !Array.isArray(stored['changes'])) {
      return stored;
    }
    const findings = stored['findings'] as readonly unknown[];
    return {
      ...stored,
      changes: (stored['changes'] as readonly unknown[]).map((change) =>
        isObject(change) && typeof change['finding'] === 'number'
          ? { ...change, finding: findings[change['finding']] }
          : change,
      ),
    };
  },
};
