import type { FleetFinding } from '../../model/fleet/fleet-finding.ts';
import { withAge } from '../../model/scan/age.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { countedSeverity } from '../../model/scan/severity.ts';
import type { OperationContext } from '../context.ts';

/** A finding as answers have it: an open one with its age, and with the time by which it has to be resolved; fixes in short. */
export function shownFinding({ fleet }: Pick<OperationContext, 'fleet'>, one: FleetFinding) {
  const { fixes, ...finding } = withTerm(one, fleet.policy.dueIn);
  const shown = fixes?.map(({ kind, version }) => ({ kind, ...(version === undefined ? {} : { version }) }));
  return { ...one, finding: { ...finding, ...(shown === undefined ? {} : { fixes: shown }) } };
}

/** An open finding with its age, and with the time by which it has to be resolved. */
export function withTerm(
  { finding, status, openedAt }: Pick<FleetFinding, 'finding' | 'status' | 'openedAt'>,
  dueIn: OperationContext['fleet']['policy']['dueIn'],
): FleetFinding['finding'] {
  if (status !== 'open') return finding;
  return withAge(
    finding,
    openedAt,
    Date.now(),
    isAlert(finding) ? dueIn[countedSeverity(finding)] : undefined,
  );
}
