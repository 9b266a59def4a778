import { overTargets } from '../../policy/priority/over-targets.ts';
import { newlyRouted } from '../../policy/routing/newly-routed.ts';
import { JobError } from '../errors.ts';
import { ALL_TARGETS } from '../gather-digest.ts';
import type { Job } from '../job.ts';
import { plannedDelivery } from '../payloads/deliver-notification.ts';
import {
  ANNOUNCE_FINDINGS,
  type AnnounceFindings,
  summaryId,
} from '../payloads/fleet-alerts/announce-findings.ts';
import { type OpenSummary, runOf, summaryOf } from './open-summary.ts';

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
  async run(payload, { fleet }, { lastAttempt }) {
    const judging = lastAttempt ? 0 : await fleet.unjudgedTargets();
    if (judging > 0)
      throw new JobError('others-first', `${judging} targets are still judged`, { retryable: true });
    const summaries = new Map<string, OpenSummary>();
    for await (const open of fleet.openTargets()) {
      const added = await newlyRouted(payload, open);
      for (const [route, changes] of added) summaryOf(summaries, route).add(open, changes);
    }
    const planned = [...summaries].map(([route, summary]) => planOf(payload, route, summary));
    return runOf(summaries, planned);
  },
  log: ({ selection }, counts) => ({ facts: { selection, ...counts } }),
  spent: (payload) => ({
    marked: [{ job: ANNOUNCE_FINDINGS.name, key: ANNOUNCE_FINDINGS.key(payload) }],
    removed: [],
  }),
};

function planOf(payload: AnnounceFindings, route: string, summary: OpenSummary) {
  const { requestedAt: date } = payload;
  const scan = summaryId(payload, route);
  const content = summary.content();
  return plannedDelivery(
    { scan, target: ALL_TARGETS, route, requestedAt: date, digest: true },
    {
      mode: 'periodic',
      scan,
      date,
      existing: true,
      ...content,
      changes: overTargets(content.changes),
      gaps: 0,
    },
  );
}
