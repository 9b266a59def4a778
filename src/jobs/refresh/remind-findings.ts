import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readFixesOf, withKnownFix } from '../../advice/known-fix.ts';
import type { NotifiedChange } from '../../model/alert/notification.ts';
import type { ExploitData } from '../../model/exploits/exploit-data.ts';
import { lazily } from '../../model/lazily.ts';
import { RATED_SEVERITIES } from '../../model/scan/severity.ts';
import { mapInSlices } from '../../model/yielding.ts';
import { overdueFindings } from '../../policy/overdue.ts';
import { withExploits } from '../../policy/priority/exploits.ts';
import { overTargets } from '../../policy/priority/over-targets.ts';
import { routeChanges } from '../../policy/routing/route-changes.ts';
import { ALL_TARGETS } from '../gather-digest.ts';
import type { Job } from '../job.ts';
import type { JobType } from '../job-type.ts';
import { plannedDelivery } from '../payloads/deliver-notification.ts';
import type { Ports } from '../ports.ts';
import { type OpenSummary, runOf, summaryOf } from './open-summary.ts';

const schema = lazily(() =>
  z.strictObject({
    window: z.iso.datetime().describe('When the reminders were due.'),
    after: z
      .partialRecord(z.enum(RATED_SEVERITIES), z.number().nonnegative())
      .describe('How long a finding of a severity is open before it is reported again, in milliseconds.'),
    routes: z.array(z.string().min(1).max(200)).max(10_000).describe('The routes that get reminders.'),
  }),
);

export type RemindFindings = z.infer<ReturnType<typeof schema>>;

/** Reports findings again that have been open for long: one digest for each route. */
export const REMIND_FINDINGS: JobType<RemindFindings> = {
  name: 'remind-findings',
  version: 1,
  schema,
  key: keyOf,
};

/** The scan id of the digest of a route. */
export function reminderId(payload: RemindFindings, route: string): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `${keyOf(payload)}-${name}`;
}

function keyOf({ window }: RemindFindings): string {
  return `reminder-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}

type Needs = 'fleet' | 'routing' | 'policy' | 'exploits' | 'knownFixes';

/**
 * Reports findings again that are open for longer than their severity permits: one digest for each route, with the worst findings of all
 * targets and the number of the others. Its key is the time at which it was due, and its deliveries are filed with its outcome: each
 * digest is sent once.
 */
export const remindFindings: Job<
  RemindFindings,
  { readonly routes: number; readonly findings: number },
  Needs
> = {
  ...REMIND_FINDINGS,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, { fleet, routing, policy, exploits, knownFixes }, { signal }) {
    const { window, after } = payload;
    const now = Date.parse(window);
    const { dueIn } = policy.policy();
    const routes = new Set(payload.routes);
    const rules = routing.routing();
    const summaries = new Map<string, OpenSummary>();
    for await (const open of fleet.openTargets()) {
      signal.throwIfAborted();
      const changes = overdueFindings(open.findings, { after, dueIn }, now);
      for (const { rule, changes: own } of await routeChanges(rules, open.target, changes)) {
        if (!routes.has(rule.name)) continue;
        summaryOf(summaries, rule.name).add(
          open,
          own.flatMap((index) => changes[index] ?? []),
        );
      }
    }
    const data = await exploits.current();
    const planned = await Promise.all(
      [...summaries].map(async ([route, summary]) => {
        const scan = reminderId(payload, route);
        const content = summary.content();
        const changes = await withDetails(content.changes, data, knownFixes.read);
        return plannedDelivery(
          { scan, target: ALL_TARGETS, route, requestedAt: window, digest: true },
          { mode: 'periodic', scan, date: window, reminder: true, ...content, changes, gaps: 0 },
        );
      }),
    );
    return runOf(summaries, planned);
  },
  log: ({ window }, counts) => ({ facts: { window, ...counts } }),
  spent: (payload) => ({
    marked: [{ job: REMIND_FINDINGS.name, key: REMIND_FINDINGS.key(payload) }],
    removed: [],
  }),
};

/** With what is known now about exploitation, fixes and priority, which states do not store. */
async function withDetails(
  changes: readonly NotifiedChange[],
  data: ExploitData,
  read: Ports['knownFixes']['read'],
): Promise<readonly NotifiedChange[]> {
  const fixes = await readFixesOf(
    changes.map(({ finding }) => finding),
    read,
  );
  const detailed = await mapInSlices(changes, (change, index) => {
    return { ...change, finding: withKnownFix(withExploits(change.finding, data), fixes[index]) };
  });
  return overTargets(detailed);
}
