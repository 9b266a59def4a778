import { createHash } from 'node:crypto';
import { z } from 'zod';
import type {
  DigestEntry,
  GatheredDigest,
  Notification,
  NotifiedChange,
} from '../model/alert/notification.ts';
import { defined } from '../model/defined.ts';
import { lazily } from '../model/lazily.ts';
import type { Severity } from '../model/scan/severity.ts';
import type { Target } from '../model/scan/target.ts';
import { GATHERED_DIGEST } from '../model/stored/catalog.ts';
import { overTargets } from '../policy/priority/over-targets.ts';
import { addCounts, worstChanges } from '../policy/worst-changes.ts';
import type { Job } from './job.ts';
import type { JobType } from './job-type.ts';
import { plannedDelivery } from './payloads/deliver-notification.ts';
import { MAX_LISTED_CHANGES } from './scan/deliveries.ts';

const schema = lazily(() =>
  z.strictObject({
    route: z.string().min(1).max(200),
    window: z.iso.datetime().describe('The end of the time window.'),
  }),
);

export type GatherDigest = z.infer<ReturnType<typeof schema>>;

/** Builds the periodic digest of a route for one time window. */
export const GATHER_DIGEST: JobType<GatherDigest> = {
  name: 'gather-digest',
  version: 1,
  schema,
  key: keyOf,
};

/** The key is also the digest's scan id. */
function keyOf({ route, window }: GatherDigest): string {
  const name = createHash('sha256').update(route).digest('hex').slice(0, 12);
  return `digest-${name}-${window.replaceAll(/[^0-9TZ]/g, '')}`;
}

/** The target of a digest in its payload and lane: a digest has no single target. */
export const ALL_TARGETS = '*';

/**
 * Builds one notification from all changes that wait for a route. The entries are removed in the script that saves the outcome,
 * so each change is in exactly one digest.
 */
export const gatherDigest: Job<GatherDigest, GatheredDigest, 'digests'> = {
  ...GATHER_DIGEST,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 120_000, concurrency: 1 },
  resultKind: GATHERED_DIGEST,
  async run(payload, { digests }) {
    const { route, window } = payload;
    const entries = await digests.read(route);
    if (entries.length === 0) return { result: { notification: null }, next: [] };
    const scan = GATHER_DIGEST.key(payload);
    const { next, filed } = plannedDelivery(
      { scan, target: ALL_TARGETS, route, requestedAt: window, digest: true },
      digestNotification({ scan, date: window, mode: 'periodic' }, entries),
    );
    return {
      result: { notification: filed.notification },
      next: [next],
      deliveries: [filed],
      state: { route, taken: entries.map((entry) => entry.scan) },
    };
  },
  log: ({ route }, { notification }) => ({
    facts: { route, target: notification?.target.id, changes: notification?.changes.length },
  }),
  spent: (payload) => ({
    marked: [{ job: GATHER_DIGEST.name, key: GATHER_DIGEST.key(payload) }],
    removed: [],
  }),
};

/** One notification about the changes of all entries. */
export function digestNotification(
  { scan, date, mode }: Required<Pick<Notification, 'scan' | 'date' | 'mode'>>,
  entries: readonly DigestEntry[],
): Omit<Notification, 'id' | 'route'> {
  const latest = new Map(entries.map((entry) => [entry.target.id, entry]));
  const several = latest.size > 1;
  const all: readonly NotifiedChange[] = entries.flatMap(({ target, changes }) =>
    several ? changes.map((change) => ({ ...change, target: target.id })) : changes,
  );
  const worst = worstChanges(all, MAX_LISTED_CHANGES);
  const omitted = addCounts([worst.omitted, ...entries.map((entry) => entry.omitted)]);
  return {
    mode,
    scan,
    target: targetOf([...latest.values()].map(({ target }) => target)),
    date,
    changes: several ? overTargets(worst.changes) : worst.changes,
    ...defined({ omitted }),
    open: openIn([...latest.values()]),
    gaps: [...latest.values()].reduce((sum, { gaps }) => sum + gaps, 0),
  };
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

function openIn(entries: readonly DigestEntry[]): Readonly<Record<Severity, number>> {
  const sum = { critical: 0, high: 0, medium: 0, low: 0, none: 0, unrated: 0 };
  for (const { open } of entries) {
    for (const severity of Object.keys(sum) as Severity[]) sum[severity] += open[severity] ?? 0;
  }
  return sum;
}
