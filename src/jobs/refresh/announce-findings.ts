import type { TargetFindings } from '../../fleet/fleet.ts';
import type { FiledDelivery } from '../../model/alert/delivery.ts';
import type { Notification, NotifiedChange } from '../../model/alert/notification.ts';
import type { Change } from '../../model/scan/change.ts';
import type { Severity } from '../../model/scan/severity.ts';
import type { Target } from '../../model/scan/target.ts';
import type { TransitionCounts } from '../../model/scan/transition.ts';
import { newlyRouted } from '../../policy/newly-routed.ts';
import { addCounts, worstChanges } from '../../policy/worst-changes.ts';
import { JobError } from '../errors.ts';
import type { FollowUp } from '../follow-up.ts';
import { ALL_TARGETS, targetOf } from '../gather-digest.ts';
import type { Job } from '../job.ts';
import { ANNOUNCE_FINDINGS, type AnnounceFindings, summaryId } from '../payloads/announce-findings.ts';
import { plannedDelivery } from '../payloads/deliver-notification.ts';
import { MAX_LISTED_CHANGES } from '../scan/deliveries.ts';

/**
 * Sends the findings that exist already to the routes that changed settings assign them to: one alert for each route, with the
 * worst findings of all targets and the number of the others. It waits until all targets are judged by the settings.
 */
export const announceFindings: Job<
  AnnounceFindings,
  { readonly routes: number; readonly findings: number },
  'fleet'
> = {
  ...ANNOUNCE_FINDINGS,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 600_000, concurrency: 1 },
  needs: ['fleet'],
  async run(payload, { fleet }, { lastAttempt }) {
    const judging = lastAttempt ? 0 : await fleet.unjudgedTargets();
    if (judging > 0)
      throw new JobError('others-first', `${judging} targets are still judged`, { retryable: true });
    const summaries = new Map<string, Summary>();
    for await (const open of fleet.openTargets()) {
      const added = await newlyRouted(payload, open);
      for (const [route, changes] of added) {
        const summary = summaries.get(route) ?? createSummary();
        summaries.set(route, summary);
        add(summary, open, changes);
      }
    }
    const planned = [...summaries].map(([route, summary]) => planOf(payload, route, summary));
    return {
      result: {
        routes: summaries.size,
        findings: [...summaries.values()].reduce((sum, { findings }) => sum + findings, 0),
      },
      next: planned.map(({ next }) => next),
      deliveries: planned.map(({ filed }) => filed),
    };
  },
  log: ({ selection }, counts) => ({ facts: { selection, ...counts } }),
  spent: (payload) => ({
    marked: [{ job: ANNOUNCE_FINDINGS.name, key: ANNOUNCE_FINDINGS.key(payload) }],
    removed: [],
  }),
};

interface Summary {
  readonly targets: Target[];
  changes: NotifiedChange[];
  omitted: TransitionCounts | undefined;
  findings: number;
  readonly open: Record<Severity, number>;
}

/** What one route gets. At most twice the listed changes are in memory. */
function createSummary(): Summary {
  return {
    targets: [],
    changes: [],
    omitted: undefined,
    findings: 0,
    open: { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 },
  };
}

function add(summary: Summary, { target, open }: TargetFindings, changes: readonly Change[]): void {
  summary.targets.push(target);
  summary.findings += changes.length;
  for (const severity of Object.keys(summary.open) as Severity[])
    summary.open[severity] += open[severity] ?? 0;
  summary.changes.push(...changes.map((change) => ({ ...change, target: target.id })));
  if (summary.changes.length >= 2 * MAX_LISTED_CHANGES) keepWorst(summary);
}

function keepWorst(summary: Summary): void {
  const { changes, omitted } = worstChanges(summary.changes, MAX_LISTED_CHANGES);
  summary.changes = [...changes];
  summary.omitted = addCounts([summary.omitted, omitted]);
}

function planOf(
  payload: AnnounceFindings,
  route: string,
  summary: Summary,
): { readonly next: FollowUp; readonly filed: FiledDelivery } {
  const scan = summaryId(payload, route);
  keepWorst(summary);
  const { targets, changes, omitted, open } = summary;
  const notification: Omit<Notification, 'id' | 'route'> = {
    mode: 'periodic',
    scan,
    target: targetOf(targets),
    date: payload.requestedAt,
    existing: true,
    // A single target is named by the notification.
    changes: targets.length > 1 ? changes : changes.map(({ target: _, ...change }) => change),
    ...(omitted === undefined ? {} : { omitted }),
    open,
    gaps: 0,
  };
  return plannedDelivery(
    { scan, target: ALL_TARGETS, route, requestedAt: payload.requestedAt, digest: true },
    notification,
  );
}
