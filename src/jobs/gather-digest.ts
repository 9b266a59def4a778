import type { DigestEntry } from '../model/alert/digest.ts';
import type { GatheredDigest, Notification, NotifiedChange } from '../model/alert/notification.ts';
import type { Severity } from '../model/scan/finding.ts';
import type { Target } from '../model/scan/target.ts';
import { GATHERED_DIGEST } from '../model/stored/catalog.ts';
import { addCounts, worstChanges } from '../policy/worst-changes.ts';
import type { Job } from './job.ts';
import { plannedDelivery } from './payloads/deliver-notification.ts';
import { GATHER_DIGEST, type GatherDigest } from './payloads/gather-digest.ts';
import { MAX_LISTED_CHANGES } from './scan/deliveries.ts';

/** What ties the lane of a route's digests together: they are about no single target. */
const EVERYBODY = '*';

/**
 * Makes one notification of everything that waits for a route. The entries are taken away together with the outcome that
 * holds them, or not at all: whatever dies in between, each change goes into exactly one digest.
 */
export const gatherDigest: Job<GatherDigest, GatheredDigest, 'digests'> = {
  ...GATHER_DIGEST,
  limits: { attempts: 50, backoffMs: 1_000, maxBackoffMs: 600_000, timeoutMs: 120_000, concurrency: 1 },
  needs: ['digests'],
  resultKind: GATHERED_DIGEST,
  async run(payload, { digests }) {
    const { route, window } = payload;
    const entries = await digests.read(route);
    if (entries.length === 0) return { result: { notification: null }, next: [] };
    const scan = GATHER_DIGEST.key(payload);
    const { next, filed } = plannedDelivery(
      { scan, target: EVERYBODY, route, requestedAt: window, digest: true },
      notificationOf(scan, payload, entries),
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
  spent: (payload) => ({ marked: [{ job: 'gather-digest', key: GATHER_DIGEST.key(payload) }], removed: [] }),
};

function notificationOf(
  scan: string,
  { window }: GatherDigest,
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
    mode: 'periodic',
    scan,
    target: targetOf([...latest.values()].map(({ target }) => target)),
    date: window,
    changes: worst.changes,
    ...(omitted === undefined ? {} : { omitted }),
    open: openIn([...latest.values()]),
    gaps: [...latest.values()].reduce((sum, { gaps }) => sum + gaps, 0),
  };
}

/** The one target, or all of them under the labels that they share. */
function targetOf(targets: readonly Target[]): Target {
  const [first] = targets;
  if (first === undefined || targets.length === 1) return first ?? { id: EVERYBODY, labels: {} };
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
