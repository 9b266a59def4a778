import type { Target } from '../model/scan/change.ts';
import type { Policy } from '../model/scan/policy.ts';
import { hasLabels } from '../model/wildcard.ts';

/** The policy for a target: settings of rules, of the gate and licences of every entry of `byLabel` whose labels it has, the last one first. */
export function policyFor(policy: Policy, { labels: own }: Pick<Target, 'labels'>): Policy {
  const fitting = policy.byLabel.filter(({ labels }) => hasLabels(own, labels));
  if (fitting.length === 0) return policy;
  const rules: Record<string, Policy['rules'][string]> = { ...policy.rules };
  for (const { rules: changed } of fitting) {
    for (const [name, settings] of Object.entries(changed)) rules[name] = { ...rules[name], ...settings };
  }
  const { licenses } = fitting.findLast((one) => one.licenses !== undefined) ?? policy;
  const gate = Object.assign({}, policy.gate, ...fitting.map((one) => one.gate));
  return { ...policy, rules, licenses, gate };
}
