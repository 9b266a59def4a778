import { SEVERITIES } from '../../model/scan/severity.ts';
import type { Operations } from '../../server/api/operation.ts';
import { COMPARE_TARGETS } from '../../server/view/fleet-order.ts';
import type { ViewedTarget } from '../../server/view/viewed-target.ts';
import { labelTest } from '../fleet/fleet-store.ts';
import { showTarget } from '../fleet/targets.ts';
import { pageOf, pageOfList } from './page.ts';
import { labelsOf, requireSeen, type ServeContext, snapshotOf, unknownTarget } from './serve-context.ts';

/** Findings in the answer about one target; `findings.list` has the others. */
const MAX_FINDINGS = 1_000;

export function targetOperations(
  context: ServeContext,
): Pick<Operations, 'lockhound.targets.list' | 'lockhound.targets.get'> {
  const { view, loaded } = context;
  const listed = (target: ViewedTarget) => ({ ...target, stale: view.isStale(target) });
  return {
    async 'lockhound.targets.list'({ params, principal }) {
      const { targetLists } = snapshotOf(context);
      const { worst, incomplete, stale, orderBy: order = 'worst' } = params;
      const labels = labelsOf(params.label);
      const search = params.search?.toLowerCase();
      const page = pageOf<ViewedTarget>(context, { method: 'lockhound.targets.list', params, principal });
      const tests: ((one: ViewedTarget) => boolean)[] = [];
      if (!principal.seesAll) tests.push(({ target }) => principal.sees(target));
      if (labels !== undefined) {
        const fits = labelTest(labels);
        tests.push((one) => fits(one.labels));
      }
      if (search !== undefined) tests.push(({ target }) => target.toLowerCase().includes(search));
      if (worst !== undefined) {
        const severities = SEVERITIES.slice(0, SEVERITIES.indexOf(worst) + 1);
        tests.push(({ open }) => severities.some((name) => (open[name] ?? 0) > 0));
      }
      if (incomplete !== undefined) tests.push((one) => one.incomplete === incomplete);
      if (stale !== undefined) tests.push((one) => view.isStale(one) === stale);
      const list = targetLists[order].filter((one) => tests.every((fits) => fits(one)));
      const { items, total, next } = pageOfList(list, page, {
        compare: COMPARE_TARGETS[order],
        placeOf: (target) => ({ ...target, labels: {} }),
      });
      return { targets: items.map(listed), total, ...next };
    },
    async 'lockhound.targets.get'({ params: { target }, principal }) {
      requireSeen(principal, target);
      const shown = await showTarget(context.fleet, target, loaded.config.watch.staleAfter);
      if (shown === undefined) throw unknownTarget(target);
      return { ...shown, findings: shown.findings.slice(0, MAX_FINDINGS) };
    },
  };
}
