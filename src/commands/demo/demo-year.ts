import { fileURLToPath } from 'node:url';
import type { Store } from '../../compose/store.ts';
import { packageFile } from '../../files/package-file.ts';
import type { NewSchedule, NewSuppression, Overview } from '../../model/api/lockhound-api.generated.ts';
import { SEVERITIES, type Severity } from '../../model/scan/severity.ts';

const DAY_MS = 86_400_000;
/** Days of the trend. */
const DAYS = 365;
/** An address without a server. Requests to this machine are refused anyhow. */
const GONE = 'http://127.0.0.1:9/web/admin/package-lock.json';

const SUPPRESSIONS: readonly NewSuppression[] = [
  {
    reason: 'Templates come from this repository alone, so that nobody else writes them',
    package: 'pkg:npm/handlebars',
    advisory: ['GHSA-765h-qjxv-5f44'],
    expires: '2d',
    author: 'Web team',
  },
  {
    reason: 'The service never follows redirects',
    package: 'pkg:npm/node-fetch',
    target: 'data/importer',
    rule: 'vulnerability',
    expires: '180d',
    author: 'Data team',
  },
];

const SCHEDULES: readonly NewSchedule[] = [
  {
    name: 'shop-nightly',
    source: { kind: 'path', paths: [fileURLToPath(packageFile('examples/shop/'))] },
    target: 'shop',
    labels: { team: 'demo' },
    cron: '0 3 * * *',
  },
  {
    name: 'admin-mirror',
    source: { kind: 'url', urls: [GONE] },
    target: 'web/admin',
    labels: { team: 'web' },
    every: '6h',
  },
];

/**
 * Adds what a year of use leaves behind to a fleet that is served at `url`: the trend, suppressions (one expires soon), schedules (one
 * cannot read its source), an alert that was not accepted, and a payload that was rejected.
 */
export async function seedYear(store: Store, url: string): Promise<void> {
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${url}/api/v1/${path}`, body && { ...init, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`the demo cannot add to ${path}: ${await answer.text()}`);
    return await answer.json();
  };
  await writeTrend(store, (await ask('fleet')) as Overview);
  for (const suppression of SUPPRESSIONS) await ask('suppressions', suppression);
  for (const schedule of SCHEDULES) {
    await ask('schedules?replace=true', schedule);
    await ask(`schedules/${schedule.name}/run`, {});
  }
  await failDelivery(store, 'payments/ledger');
  await store.rejected.add({
    job: 'ingest-lockfiles',
    id: 'legacy-ci-1042',
    at: new Date(Date.now() - 3 * DAY_MS).toISOString(),
    issues: [{ path: 'target.id', reason: 'is missing: expected string' }],
    data: JSON.stringify({ target: { name: 'billing' }, lockfiles: [{ path: 'yarn.lock' }] }),
  });
}

/** More and more targets, and findings that were most in the third quarter. */
async function writeTrend({ dayCounts }: Store, { open, targets, readAt }: Overview): Promise<void> {
  for (let ago = DAYS - 1; ago > 0; ago -= 1) {
    const share = 1 - ago / DAYS;
    const level = 0.5 + 0.5 * share + 0.7 * Math.sin(Math.PI * share) ** 2 + 0.05 * Math.sin(ago / 4);
    const counts = Object.entries(open).map(([severity, count], index) => [
      severity,
      Math.round(count * level * (1 + 0.1 * Math.sin(ago / 9 + index))),
    ]);
    await dayCounts.write({
      day: new Date(Date.parse(readAt) - ago * DAY_MS).toISOString().slice(0, 10),
      targets: Math.max(3, Math.round(targets * share)),
      open: Object.fromEntries(counts),
    });
  }
}

/** The alert about the first scan of a target, as it would be for a route whose receiver is broken. */
async function failDelivery({ deliveries, targets, targetSummaries }: Store, target: string): Promise<void> {
  const [state, summary] = await Promise.all([targets.read(target), targetSummaries.read(target)]);
  if (state === undefined || summary === undefined) return;
  const [id, route, date] = ['msg_demo-of-a-failure', 'audit', state.requestedAt];
  const open = Object.fromEntries(SEVERITIES.map((name) => [name, summary.open[name] ?? 0]));
  const changes = state.findings.map(({ finding }) => ({ transition: 'opened' as const, finding }));
  const identity = { id, key: `${state.scan}.${route}`, route, target, scan: state.scan, date };
  await deliveries.file(identity, {
    ...{ id, route, scan: state.scan, date, changes, gaps: 0 },
    target: { id: target, labels: { ...summary.labels } },
    open: open as Record<Severity, number>,
  });
  for (const minutes of [30, 20, 5]) {
    const at = new Date(Date.now() - minutes * 60_000).toISOString();
    await deliveries.addAttempt(id, { at, durationMs: 212, status: 503, answer: 'upstream is down' });
  }
  await deliveries.move(identity, { state: 'failed', reason: 'the receiver answered 503' });
}
