import { createHash } from 'node:crypto';
import { z } from 'zod';
import { lazily } from '../../model/lazily.ts';
import { overTargets } from '../../policy/priority/over-targets.ts';
import { newlyRouted } from '../../policy/routing/newly-routed.ts';
import { JobError } from '../errors.ts';
import { ALL_TARGETS } from '../gather-digest.ts';
import type { Job } from '../job.ts';
import type { JobType } from '../job-type.ts';
import { plannedDelivery } from '../payloads/deliver-notification.ts';
import { routing, scanId, timestamp } from '../payloads/fields.ts';
import { type OpenSummary, runOf, summaryOf } from './open-summary.ts';

const schema = lazily(() =>
  z.strictObject({
    selection: scanId().describe('Id of the selection of all targets that changed settings led to.'),
    requestedAt: timestamp().describe('When the settings changed.'),
    before: routing().describe('The routes by which changes were sent until then.'),
    now: routing(),
  }),
);

export type AnnounceFindings = z.infer<ReturnType<typeof schema>>;

/** Sends the findings that exist already to the routes that changed settings assign them to: one summary for each route. */
export const ANNOUNCE_FINDINGS: JobType<AnnounceFindings> = {
  name: 'announce-findings',
  version: 1,
  schema,
  key: ({ selection }) => selection,
};

/** The scan id of the summary of a route. */
export function summaryId({ selection }: Pick<AnnounceFindings, 'selection'>, route: string): string {
  return `existing-${createHash('sha256').update(`${selection} ${route}`).digest('hex').slice(0, 24)}`;
}

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
