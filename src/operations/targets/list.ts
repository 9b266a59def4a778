import { COMPARE_TARGETS } from '../../fleet/view/fleet-snapshot.ts';
import type { ViewedTarget } from '../../fleet/view/viewed-target.ts';
import type { Target } from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import { isSupported } from '../../model/fleet/release.ts';
import { SEVERITIES } from '../../model/scan/severity.ts';
import { type IsStale, unreadableOf } from '../context.ts';
import type { Call, Operation } from '../operation.ts';
import { pageOf, pageOfList } from '../paging.ts';
import { labelTest } from '../parameters.ts';
import type { Principal } from '../principal.ts';

type TargetTest = (target: ViewedTarget) => boolean;

export const list: Operation<'lockhound.targets.list'> = async ({ params, principal }, context) => {
  const { orderBy: order = 'worst' } = params;
  const isStale = await context.staleness();
  const tests = testsOf(params, principal, isStale);
  const page = pageOf<ViewedTarget>(context, { method: 'lockhound.targets.list', params, principal });
  const { targetLists } = await context.snapshot({ targets: order });
  const list = targetLists[order].filter((one) => tests.every((fits) => fits(one)));
  const { items, total, next } = pageOfList(list, page, {
    compare: COMPARE_TARGETS[order],
    placeOf: (target) => ({ ...target, labels: {} }),
  });
  const targets = items.map((target) => listedTarget(target, isStale));
  return { targets, total, ...unreadableOf(context, principal), ...next };
};

/** A target of the view as it is now. */
export function listedTarget({ release: own, ...target }: ViewedTarget, isStale: IsStale): Target {
  const release = own && { ...own, supported: isSupported(own.supportedUntil, Date.now()) };
  return { ...target, stale: isStale(target), ...defined({ release }) };
}

function testsOf(
  { label, search, worst, incomplete, stale }: Call<'lockhound.targets.list'>['params'],
  { seesAll, sees }: Principal,
  isStale: IsStale,
): readonly TargetTest[] {
  const hasLabels = labelTest(label);
  const text = search?.toLowerCase();
  const tests: TargetTest[] = [];
  if (!seesAll) tests.push(({ target }) => sees(target));
  if (hasLabels !== undefined) tests.push(hasLabels);
  if (text !== undefined) tests.push(({ target }) => target.toLowerCase().includes(text));
  if (worst !== undefined) {
    const severities = SEVERITIES.slice(0, SEVERITIES.indexOf(worst) + 1);
    tests.push(({ open }) => severities.some((name) => (open[name] ?? 0) > 0));
  }
  if (incomplete !== undefined) tests.push((one) => one.incomplete === incomplete);
  if (stale !== undefined) tests.push((one) => isStale(one) === stale);
  return tests;
}
