import { z } from 'zod';
import type { DigestEntry, NotifiedChange } from '../model/alert/notification.ts';
import { defined } from '../model/defined.ts';
import { lazily } from '../model/lazily.ts';
import type { DigestClaim } from '../model/queue/outcome.ts';
import type { Severity } from '../model/scan/severity.ts';
import { overTargets } from '../policy/priority/over-targets.ts';
import { addCounts, worstChanges } from '../policy/worst-changes.ts';
import { othersFirst } from './errors.ts';
import type { Job, RunContext } from './job.ts';
import {
  ALL_TARGETS,
  type Digest,
  exceptionDigests,
  exceptionsPayload,
  existingDigests,
  existingPayload,
  overdueDigests,
  overduePayload,
  targetOf,
} from './open-digests.ts';
import { plannedDelivery } from './payloads/deliver-notification.ts';
import { keyHash } from './payloads/fields.ts';
import type { FleetPort, Ports } from './ports.ts';
import { MAX_LISTED_CHANGES } from './scan/deliveries.ts';

const ofRoute = {
  route: () => z.string().min(1).max(200),
  window: () => z.iso.datetime().describe('When it was due.'),
};

const schema = lazily(() =>
  z.discriminatedUnion('of', [
    z.strictObject({ of: z.literal('changes'), route: ofRoute.route(), window: ofRoute.window() }),
    z.strictObject({ of: z.literal('issues'), route: ofRoute.route(), window: ofRoute.window() }),
    overduePayload(),
    exceptionsPayload(),
    existingPayload(),
  ]),
);

/**
 * - `changes`: those that wait for a route of mode `periodic`, in one digest.
 * - `issues`: those that wait for a route of mode `advisory`, in one digest for each issue: an advisory that concerns many targets is one
 *   alert with the list of targets.
 * - `overdue`: findings that are open for longer than their severity permits, in one digest for each route.
 * - `exceptions`: those that can be removed or have expired, in one digest for each route of owners.
 * - `existing`: findings that changed settings assign to other routes, in one digest for each route.
 */
export type GatherDigest = z.infer<ReturnType<typeof schema>>;

type Needs = 'digests' | 'fleet' | 'routing' | 'policy' | 'exploits' | 'knownFixes';

/** How long alerts by issue wait for the targets that are still judged. */
const PATIENCE_MS = 300_000;

/**
 * Builds digests of the changes of many scans, or of the findings of many targets. Waiting changes are removed in the script that saves the
 * outcome, so each is in exactly one digest.
 */
export const gatherDigest: Job<GatherDigest, { readonly digests: number }, Needs> = {
  name: 'gather-digest',
  version: 1,
  schema,
  key: keyOf,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 600_000, concurrency: 4 },
  async run(payload, ports, context) {
    const { digests, state } = await gather(payload, ports, context);
    const planned = digests.map(({ route, told, ...notification }) => {
      const { scan, date: requestedAt } = notification;
      const payload = { scan, target: ALL_TARGETS, route, requestedAt, digest: true as const };
      return plannedDelivery(payload, notification, told);
    });
    return {
      result: { digests: digests.length },
      next: planned.map(({ next }) => next),
      deliveries: planned.map(({ filed }) => filed),
      ...defined({ state }),
    };
  },
  log: (payload, { digests }) => ({
    facts: { of: payload.of, digests, ...('route' in payload ? { route: payload.route } : {}) },
  }),
  spent: 'own',
};

/** The key of a digest of changes is its scan id; others begin with it. */
function keyOf(payload: GatherDigest): string {
  if (payload.of === 'existing') return `existing-${payload.selection}`;
  const time = payload.window.replaceAll(/[^0-9TZ]/g, '');
  if (payload.of === 'overdue') return `reminder-${time}`;
  if (payload.of === 'exceptions') return `exceptions-${time}`;
  return `${payload.of === 'changes' ? 'digest' : 'issues'}-${keyHash(payload.route, 12)}-${time}`;
}

async function gather(
  payload: GatherDigest,
  ports: Pick<Ports, Needs>,
  { startedAt, lastAttempt, signal }: RunContext,
): Promise<{ readonly digests: readonly (Digest & { told?: string })[]; readonly state?: DigestClaim }> {
  const key = keyOf(payload);
  if (payload.of === 'overdue' || payload.of === 'exceptions') {
    const digests =
      payload.of === 'overdue'
        ? await overdueDigests(payload, ports, signal)
        : await exceptionDigests(payload, ports, signal);
    return { digests: digests.map((one) => ({ ...one, scan: `${key}-${keyHash(one.route, 12)}` })) };
  }
  if (payload.of === 'existing') {
    if (!lastAttempt) await requireJudged(ports.fleet);
    const digests = await existingDigests(payload, ports.fleet);
    const idOf = (route: string) => `existing-${keyHash(`${payload.selection} ${route}`, 24)}`;
    return { digests: digests.map((one) => ({ ...one, scan: idOf(one.route) })) };
  }
  const { of, route, window: date } = payload;
  // None of the targets that an issue concerns is missing.
  if (of === 'issues' && startedAt - Date.parse(date) < PATIENCE_MS) await requireJudged(ports.fleet);
  const entries = await ports.digests.read(route);
  if (entries.length === 0) return { digests: [] };
  const groups: Iterable<readonly [string, readonly DigestEntry[]]> =
    of === 'changes' ? [[OTHERS, entries]] : groupsOf(entries);
  const digests = Array.from(groups, ([issue, own]) => ({
    route,
    scan: of === 'changes' ? key : `${key}-${keyHash(issue, 16)}`,
    date,
    mode: issue === OTHERS ? ('periodic' as const) : ('advisory' as const),
    ...contentOf(own),
  }));
  return { digests, state: { route, taken: entries.map(({ scan }) => scan) } };
}

/** Throws a postponing `JobError` (`others-first`) while targets are judged again. */
async function requireJudged(fleet: FleetPort): Promise<void> {
  const judging = await fleet.unjudgedTargets();
  if (judging > 0) throw othersFirst(`${judging} targets are still judged`);
}

/** The changes of all entries. */
function contentOf(entries: readonly DigestEntry[]) {
  const latest = [...new Map(entries.map((entry) => [entry.target.id, entry])).values()];
  const several = latest.length > 1;
  const all: readonly NotifiedChange[] = entries.flatMap(({ target, changes }) =>
    several ? changes.map((change) => ({ ...change, target: target.id })) : changes,
  );
  const worst = worstChanges(all, MAX_LISTED_CHANGES);
  const omitted = addCounts([worst.omitted, ...entries.map((entry) => entry.omitted)]);
  return {
    target: targetOf(latest.map(({ target }) => target)),
    changes: several ? overTargets(worst.changes) : worst.changes,
    ...defined({ omitted }),
    open: openIn(latest),
    gaps: latest.reduce((sum, { gaps }) => sum + gaps, 0),
    told: entries.map(({ told = '' }) => told).join(' '),
  };
}

function openIn(entries: readonly DigestEntry[]): Readonly<Record<Severity, number>> {
  const sum = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  for (const { open } of entries) {
    for (const severity of Object.keys(sum) as Severity[]) sum[severity] += open[severity] ?? 0;
  }
  return sum;
}

/** More issues of one window are sent in one alert. */
const MAX_ISSUES = 200;
/** The group of changes that are not about one issue. */
const OTHERS = '';

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
