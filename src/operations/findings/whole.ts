import { ALERT, HOLDER, type ViewedFinding, viewedContent } from '../../fleet/view/viewed-target.ts';
import { alertRef } from '../../store/fleet/open-alerts.ts';
import type { OperationContext } from '../context.ts';

/**
 * The findings, in their order, with the places and times that short ones lack: the states of their targets are read. `undefined` for
 * one that its target does not have any more.
 */
export async function wholeFindings(
  { fleet, exploits }: Pick<OperationContext, 'fleet' | 'exploits'>,
  findings: readonly ViewedFinding[],
): Promise<readonly (ViewedFinding | undefined)[]> {
  const short = findings.filter((one) => one[ALERT] !== undefined);
  if (short.length === 0) return findings;
  const holders = new Map(short.map((one) => [one.target, one[HOLDER]]));
  const known = new Map<string, ViewedFinding[]>();
  for (const [store, own] of Map.groupBy(holders.keys(), fleet.of)) {
    for await (const [target, state] of store.targets.each(own, fleet.onUnreadable)) {
      const open = state.findings.filter(({ status }) => status === 'open');
      const holder = holders.get(target) as ViewedFinding[typeof HOLDER];
      const { findings: viewed } = viewedContent(holder, { findings: open }, await exploits());
      for (const [index, { finding }] of open.entries()) {
        const key = `${target} ${alertRef(finding)}`;
        known.set(key, [...(known.get(key) ?? []), viewed[index] as ViewedFinding]);
      }
    }
  }
  return findings.map((one) =>
    one[ALERT] === undefined ? one : known.get(`${one.target} ${one[ALERT]}`)?.shift(),
  );
}
