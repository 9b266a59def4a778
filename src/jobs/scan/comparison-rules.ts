import type { ComparisonRules } from '../../scan/compare.ts';
import type { Ports } from '../ports.ts';

/** The settings of this process by which scans are compared. */
export async function comparisonRules({
  routing,
  policy,
}: Pick<Ports, 'routing' | 'policy'>): Promise<ComparisonRules> {
  return {
    routing: routing.routing(),
    policy: policy.policy(),
    suppressions: await policy.suppressions(),
  };
}
