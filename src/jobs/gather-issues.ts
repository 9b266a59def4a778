import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DigestEntry, NotifiedChange } from '../model/alert/notification.ts';
import { lazily } from '../model/lazily.ts';
import { JobError } from './errors.ts';
import { ALL_TARGETS, digestNotification } from './gather-digest.ts';
import type { Job } from './job.ts';
import type { JobType } from './job-type.ts';
import { plannedDelivery } from './payloads/deliver-notification.ts';

const schema = lazily(() =>
  z.strictObject({
    route: z.string().min(1).max(200),
    window: z.iso.datetime().describe('When the alerts were due.'),
  }),
);

export type GatherIssues = z.infer<ReturnType<typeof schema>>;

/** Builds the alerts of a route of mode `advisory`: one for each issue. */
export const GATHER_ISSUES: JobType<GatherIssues> = {
  name: 'gather-issues',
  version: 1,
  schema,
  key: keyOf,
};

/** The first part of the scan ids of its alerts. */
function keyOf({ route, window }: GatherIssues): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `issues-${name}-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}

/** More issues of one window are sent in one alert. */
const MAX_ISSUES = 200;
/** How long alerts wait for the targets that are still judged. */
const PATIENCE_MS = 300_000;
/** The group of changes that are not about one issue. */
const OTHERS = '';

/**
 * Builds one alert for each issue from all changes that wait for a route: an advisory that concerns many targets is one alert with
 * the list of targets. While targets are judged again, the alerts wait, so that none of these targets is missing. The entries are
 * removed in the script that saves the outcome, so each change is in exactly one alert.
 */
export const gatherIssues: Job<GatherIssues, { readonly issues: number }, 'digests' | 'fleet'> = {
  ...GATHER_ISSUES,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 120_000, concurrency: 1 },
  async run(payload, { digests, fleet }, { startedAt }) {
    const { route, window } = payload;
    const judging = startedAt - Date.parse(window) < PATIENCE_MS ? await fleet.unjudgedTargets() : 0;
    if (judging > 0)
      throw new JobError('others-first', `${judging} targets are still judged`, { retryable: true });
    const entries = await digests.read(route);
    if (entries.length === 0) return { result: { issues: 0 }, next: [] };
    const groups = groupsOf(entries);
    const planned = [...groups].map(([issue, own]) => {
      const scan = `${GATHER_ISSUES.key(payload)}-${createHash('sha256').update(issue).digest('hex').slice(0, 16)}`;
      const mode = issue === OTHERS ? 'periodic' : 'advisory';
      return plannedDelivery(
        { scan, target: ALL_TARGETS, route, requestedAt: window, digest: true },
        digestNotification({ scan, date: window, mode }, own),
      );
    });
    return {
      result: { issues: groups.size },
      next: planned.map(({ next }) => next),
      deliveries: planned.map(({ filed }) => filed),
      state: { route, taken: entries.map(({ scan }) => scan) },
    };
  },
  log: ({ route }, { issues }) => ({ facts: { route, issues } }),
  spent: (payload) => ({
    marked: [{ job: GATHER_ISSUES.name, key: GATHER_ISSUES.key(payload) }],
    removed: [],
  }),
};

/** The entries by issue, each with its changes about it; those that concern most targets first. */
function groupsOf(entries: readonly DigestEntry[]): ReadonlyMap<string, readonly DigestEntry[]> {
  const groups = new Map<string, DigestEntry[]>();
  for (const entry of entries) {
    // An entry that only counts some of its changes is about too many issues.
    const issueOf = entry.omitted === undefined ? issueOfChange : () => OTHERS;
    for (const [issue, changes] of Map.groupBy(entry.changes, issueOf)) {
      const { omitted, ...rest } = entry;
      const own = issue === OTHERS ? { ...entry, changes } : { ...rest, changes };
      groups.set(issue, [...(groups.get(issue) ?? []), own]);
    }
  }
  const ranked = [...groups].sort((left, right) => right[1].length - left[1].length);
  const single = ranked.filter(([issue]) => issue !== OTHERS);
  const kept = single.slice(0, MAX_ISSUES);
  const rest = [...(groups.get(OTHERS) ?? []), ...single.slice(MAX_ISSUES).flatMap(([, own]) => own)];
  return new Map(rest.length === 0 ? kept : [...kept, [OTHERS, rest]]);
}

/** The advisory, or else rule and package. Findings that only a summary reports are sent together. */
function issueOfChange({ announced, finding }: NotifiedChange): string {
  if (announced !== undefined) return OTHERS;
  return finding.advisory?.id ?? `${finding.rule} ${finding.package.purl}`;
}
