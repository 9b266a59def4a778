import type { Policy } from '../model/scan/policy.ts';
import type { Config } from './schema.ts';

/** The policy by which findings are judged. Without limits of its own, a finding is due when it is reported again. */
export function policyOf({ policy, notify, owners }: Pick<Config, 'policy' | 'notify' | 'owners'>): Policy {
  return { ...policy, owners, dueIn: { ...notify?.remindAfter, ...policy.dueIn } };
}
