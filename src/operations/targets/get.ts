import { summaryFrom, viewedTarget } from '../../fleet/view/viewed-target.ts';
import { compareFindingOrder } from '../../policy/finding-order.ts';
import { reportTo } from '../../store/values/stored-values.ts';
import { omitted, requireSeen, unknownTarget, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { listedTarget } from './list.ts';

/** Findings in the answer; `findings.list` has the others. */
const MAX_FINDINGS = 1_000;

/** Gets the stored parts of one target. Parts that cannot be read are absent. */
export const get: Operation<'lockhound.targets.get'> = async ({ params, principal }, context) => {
  const { target } = params;
  await requireSeen(context, principal, target);
  const { fleet } = context;
  const store = fleet.of(target);
  let isDamaged = false;
  const onUnreadable: typeof fleet.onUnreadable = (error) => {
    isDamaged = true;
    fleet.onUnreadable(error);
  };
  const summary = await store.targetSummaries.read(target).catch(reportTo(onUnreadable));
  const state = await store.targets.read(target).catch(reportTo(onUnreadable));
  if (summary === undefined && state === undefined && !isDamaged)
    throw await unknownTarget(context, principal, target);
  const isStale = await context.staleness();
  const known = summary ?? (state === undefined ? undefined : summaryFrom(state));
  const open = (state?.findings ?? []).filter(({ status }) => status === 'open');
  const findings = open.toSorted((left, right) => compareFindingOrder(left.finding, right.finding));
  return {
    target,
    ...(known === undefined ? {} : { summary: listedTarget(viewedTarget(target, known), isStale) }),
    lockfiles: (state?.lockfiles ?? []).map(({ exceptions: _, ...own }) => own),
    ...(state?.image === undefined ? {} : { image: state.image }),
    history: state?.history ?? [],
    findings: findings.slice(0, MAX_FINDINGS),
    ...omitted(findings.length - MAX_FINDINGS),
    deliveries: await store.deliveries.newestOf(target),
    ...unreadableOf(context, principal),
  };
};
