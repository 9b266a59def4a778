import { z } from 'zod';
import { readFixesOf, withKnownFix } from '../advice/known-fix.ts';
import type { TargetFindings } from '../fleet/fleet.ts';
import type { Notification, NotifiedChange } from '../model/alert/notification.ts';
import { defined } from '../model/defined.ts';
import type { Change, Target } from '../model/scan/change.ts';
import { RATED_SEVERITIES, type Severity } from '../model/scan/severity.ts';
import type { TransitionCounts } from '../model/scan/transition.ts';
import { mapInSlices } from '../model/yielding.ts';
import { overdueFindings } from '../policy/due.ts';
import { withExploits } from '../policy/priority/exploits.ts';
import { overTargets } from '../policy/priority/over-targets.ts';
import { newlyRouted } from '../policy/routing/newly-routed.ts';
import { routeChanges } from '../policy/routing/route-changes.ts';
import { staleException } from '../policy/rules/stale-exception.ts';
import { addCounts, worstChanges } from '../policy/worst-changes.ts';
import { routing, scanId, timestamp } from './payloads/fields.ts';
import type { Ports } from './ports.ts';
import { MAX_LISTED_CHANGES } from './scan/deliveries.ts';

export const overduePayload = () =>
  z.strictObject({
    of: z.literal('overdue'),
    window: z.iso.datetime().describe('When the reminders were due.'),
    after: z
      .partialRecord(z.enum(RATED_SEVERITIES), z.number().nonnegative())
      .describe('How long a finding of a severity is open before it is reported again, in milliseconds.'),
    routes: z.array(z.string().min(1).max(200)).max(10_000).describe('The routes that get reminders.'),
  });

export const exceptionsPayload = () =>
  z.strictObject({
    of: z.literal('exceptions'),
    window: z.iso.datetime().describe('When it was due.'),
    routes: z.array(z.string().min(1).max(200)).max(10_000).describe('The routes of owners that get it.'),
  });

export const existingPayload = () =>
  z.strictObject({
    of: z.literal('existing'),
    selection: scanId().describe('Id of the selection of all targets that changed settings led to.'),
    requestedAt: timestamp().describe('When the settings changed.'),
    before: routing().describe('The routes by which changes were sent until then.'),
    now: routing(),
  });

/** A notification to a route. Its scan id identifies it. */
export type Digest = Omit<Notification, 'id'>;
type DigestContent = Omit<Digest, 'scan'>;

/** The target of a digest in its payload and lane: a digest has no single target. */
export const ALL_TARGETS = '*';

/** The findings that are overdue, with the worst findings of all targets and the number of the others. */
export async function overdueDigests(
  { window: date, after, routes }: z.infer<ReturnType<typeof overduePayload>>,
  ports: Pick<Ports, 'fleet' | 'routing' | 'policy' | 'exploits' | 'knownFixes'>,
  signal: AbortSignal,
): Promise<readonly DigestContent[]> {
  const { dueIn } = ports.policy.policy();
  const rules = ports.routing.routing();
  const reminded = new Set(routes);
  const summaries = createSummaries();
  for await (const open of ports.fleet.openTargets()) {
    signal.throwIfAborted();
    const changes = overdueFindings(open.findings, { after, dueIn }, Date.parse(date));
    for (const { rule, changes: own } of await routeChanges(rules, open.target, changes)) {
      if (!reminded.has(rule.name)) continue;
      summaries.add(
        rule.name,
        open,
        own.flatMap((index) => changes[index] ?? []),
      );
    }
  }
  const data = await ports.exploits.current();
  /** With what is known now about exploitation and fixes, which states do not store. */
  const withDetails = async (changes: readonly NotifiedChange[]) => {
    const findings = changes.map(({ finding }) => finding);
    const fixes = await readFixesOf(findings, ports.knownFixes.read);
    return await mapInSlices(changes, (change, index) => {
      return { ...change, finding: withKnownFix(withExploits(change.finding, data), fixes[index]) };
    });
  };
  return await summaries.contents({ date, reminder: true }, withDetails);
}

/** The exceptions that can go, for the routes of their owners: notes, which routes get at no other time. */
export async function exceptionDigests(
  { window: date, routes }: z.infer<ReturnType<typeof exceptionsPayload>>,
  ports: Pick<Ports, 'fleet' | 'routing'>,
  signal: AbortSignal,
): Promise<readonly DigestContent[]> {
  const { rules: all } = ports.routing.routing();
  const rules = all
    .filter(({ name, match }) => routes.includes(name) && match.owners !== undefined)
    .map((rule) => ({ ...rule, match: { ...rule.match, minSeverity: undefined, transitions: undefined } }));
  const summaries = createSummaries();
  for await (const open of ports.fleet.openTargets()) {
    signal.throwIfAborted();
    const stale = open.findings.filter(
      ({ status, finding }) =>
        status === 'open' && finding.rule === staleException.name && finding.suppressed === undefined,
    );
    const changes = stale.map(({ finding, openedAt: since }) => {
      return { transition: 'opened' as const, finding: { ...finding, level: 'alert' as const }, since };
    });
    const routed = await routeChanges({ take: 'all', firstScan: 'all', rules }, open.target, changes);
    for (const { rule, changes: own } of routed) {
      const notes = own.flatMap((index) => {
        const [change, note] = [changes[index], stale[index]];
        return change === undefined || note === undefined ? [] : { ...change, finding: note.finding };
      });
      summaries.add(rule.name, open, notes);
    }
  }
  return await summaries.contents({ date, reminder: true });
}

/** The findings that exist already and that other routes get from now on. */
export async function existingDigests(
  payload: z.infer<ReturnType<typeof existingPayload>>,
  fleet: Pick<Ports['fleet'], 'openTargets'>,
): Promise<readonly DigestContent[]> {
  const { requestedAt: date } = payload;
  const summaries = createSummaries();
  for await (const open of fleet.openTargets()) {
    for (const [route, changes] of await newlyRouted(payload, open)) summaries.add(route, open, changes);
  }
  return await summaries.contents({ date, existing: true });
}

/** The single target, or a name for several targets with the labels that they share. */
export function targetOf(targets: readonly Target[]): Target {
  const [first] = targets;
  if (first === undefined || targets.length === 1) return first ?? { id: ALL_TARGETS, labels: {} };
  const shared = Object.entries(first.labels).filter(([name, value]) =>
    targets.every(({ labels }) => Object.hasOwn(labels, name) && labels[name] === value),
  );
  return { id: `${targets.length} targets`, labels: Object.fromEntries(shared) };
}

/** The alert of one route about open findings of many targets. */
interface Summary {
  readonly targets: Target[];
  readonly open: Record<Severity, number>;
  /** At most twice the listed changes are in memory. */
  listed: NotifiedChange[];
  omitted: TransitionCounts | undefined;
}

/** Collects the open findings of many targets by route: the worst changes, and the number of the others. */
function createSummaries() {
  const byRoute = new Map<string, Summary>();
  const keepWorst = (summary: Summary): void => {
    const worst = worstChanges(summary.listed, MAX_LISTED_CHANGES);
    summary.listed = [...worst.changes];
    summary.omitted = addCounts([summary.omitted, worst.omitted]);
  };
  return {
    add(route: string, { target, open: counts }: TargetFindings, changes: readonly Change[]): void {
      const open = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
      const summary = byRoute.get(route) ?? { targets: [], open, listed: [], omitted: undefined };
      byRoute.set(route, summary);
      summary.targets.push(target);
      for (const name of Object.keys(open) as Severity[]) summary.open[name] += counts[name] ?? 0;
      for (const change of changes) summary.listed.push({ ...change, target: target.id });
      if (summary.listed.length >= 2 * MAX_LISTED_CHANGES) keepWorst(summary);
    },
    /** The digests, one for each route. `detailed`: adds what states do not store. */
    contents: async (
      kind: Pick<DigestContent, 'date' | 'reminder' | 'existing'>,
      detailed = async (changes: readonly NotifiedChange[]) => changes,
    ): Promise<readonly DigestContent[]> =>
      await Promise.all(
        Array.from(byRoute, async ([route, summary]) => {
          keepWorst(summary);
          const { targets, open, listed, omitted } = summary;
          // A single target is named by the notification.
          const named = targets.length > 1 ? listed : listed.map(({ target: _, ...change }) => change);
          const changes = overTargets(await detailed(named));
          const target = targetOf(targets);
          return {
            route,
            mode: 'periodic',
            ...kind,
            target,
            changes,
            ...defined({ omitted }),
            open,
            gaps: 0,
          };
        }),
      ),
  };
}
