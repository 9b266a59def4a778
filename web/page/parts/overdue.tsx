import type { FindingBody } from '../../../src/model/api/lockhound-api.generated.ts';

/** Says that the time by which a finding has to be resolved is over. */
export function Overdue({ finding: { due } }: { readonly finding: FindingBody }) {
  if (due === undefined || Date.parse(due) > Date.now()) return null;
  return <span class="mark warn">overdue</span>;
}
