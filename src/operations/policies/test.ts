import { deliveriesOf } from '../../jobs/scan/deliveries.ts';
import type { MissedFinding, TestedPolicy } from '../../model/api/lockhound-api.generated.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { hasLabels } from '../../model/wildcard.ts';
import { isMalware } from '../../policy/rules/vulnerability.ts';
import type { ComparisonRules } from '../../scan/compare.ts';
import { type PastTarget, type ReplayedScan, replay } from '../../scan/replay.ts';
import { nothingStored, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { timeOf } from '../packages/periods.ts';
import { sinceOf } from '../parameters.ts';
import { Refusal } from '../refusal.ts';
import { type ReadLedger, readLedger, withFacts } from './past.ts';
import { currentRules, notReplayed, testedRules } from './tested-policy.ts';

/** Targets of one question. */
const MAX_TARGETS = 1_000;
/** Ids of advisories, and missed findings, that are listed. */
const MAX_LISTED = 100;

/** Replays a time of the past under the policy of now, and under another one. */
export const testPolicy: Operation<'lockhound.policies.test'> = async (
  { body, principal, signal },
  context,
) => {
  const { by = '', labels: wanted = {}, since = '365d', until = '0s' } = body;
  const rules = await currentRules(context.loaded);
  const policies = [rules, testedRules(body, rules)];
  const time = { since: secondsOf(since, 'since'), until: secondsOf(until, 'until') };
  if (time.since > time.until) throw new Refusal(400, 'invalid-parameter', '`since` is later than `until`');
  const { targets } = await context.snapshot({});
  if (targets.size === 0) throw nothingStored();
  const asked = [...targets.values()].filter(
    ({ target, labels }) => principal.sees(target) && hasLabels(labels, wanted),
  );
  if (asked.length > MAX_TARGETS)
    throw new Refusal(
      400,
      'too-many-targets',
      `${asked.length} targets, at most ${MAX_TARGETS}: state labels`,
    );
  const ledgers: ReadLedger[] = [];
  for (const one of asked) {
    const ledger = await readLedger(context, one);
    if (ledger !== undefined) ledgers.push(ledger);
  }
  const past = await withFacts(context, ledgers, { seesAll: principal.seesAll, signal });
  const tallies = policies.map((one): Tally => {
    return { rules: one, routes: new Map(), failing: {}, missed: [], hoursUntold: 0 };
  });
  let severe = 0;
  for (const target of past.targets) {
    signal.throwIfAborted();
    const found = await severeFindings(target, rules, time);
    severe += found.length;
    const { labels } = target.target;
    const label = Object.hasOwn(labels, by) ? (labels[by] ?? '') : '';
    for (const tally of tallies)
      addMissed(tally, found, await addTarget(tally, target, { time, label }), time);
  }
  const [current, tested] = tallies.map(answerOf) as [TestedPolicy, TestedPolicy];
  return {
    ...{ since: timeOf(time.since), until: timeOf(time.until), targets: ledgers.length },
    notKnown: asked.length - ledgers.filter(({ knownSince }) => knownSince <= time.since).length,
    ...past.counts,
    ...{ undated: past.undated.slice(0, MAX_LISTED), undatedCount: past.undated.length },
    ...{ notReplayed: notReplayed(policies), severe, current, tested },
    ...unreadableOf(context, principal),
  };
};

function secondsOf(text: string, name: string): number {
  return Math.floor((sinceOf(text, name) ?? 0) / 1_000);
}

/** Seconds since 1970. */
interface AskedTime {
  readonly since: number;
  readonly until: number;
}

/** A finding about malware, or an issue that was known to be exploited, from one time to another, unless it is still open. */
interface SevereFinding extends Pick<MissedFinding, 'target' | 'why'> {
  readonly finding: Finding;
  readonly from: number;
  readonly until?: number;
}

/** The severe findings of a target in a time, whatever a policy says about them. */
async function severeFindings(
  past: PastTarget,
  { policy: { licenses: _, ...policy } }: ComparisonRules,
  time: AskedTime,
): Promise<readonly SevereFinding[]> {
  const routing = { take: 'all' as const, firstScan: 'all' as const, rules: [] };
  const reference = { ...policy, rules: { vulnerability: { level: 'alert' as const } }, byLabel: [] };
  const open = new Map<string, SevereFinding>();
  const ended: SevereFinding[] = [];
  for await (const { at, verdict } of replay(
    past,
    { policy: reference, routing, suppressions: [] },
    time.until,
  )) {
    for (const { transition, finding } of verdict.changes) {
      const { fingerprint, advisory, kev } = finding;
      const before = open.get(fingerprint);
      const why = advisory !== undefined && isMalware(advisory) ? 'malware' : 'exploited';
      if (endsAlert(transition)) {
        if (before !== undefined && at > time.since) ended.push({ ...before, until: at });
        open.delete(fingerprint);
      } else if (before === undefined && (why === 'malware' || kev?.listed === true))
        open.set(fingerprint, { finding, target: past.target.id, why, from: at });
    }
  }
  return [...ended, ...open.values()];
}

/** The alerts that one policy would have sent so far. */
interface Tally {
  readonly rules: ComparisonRules;
  /** By route and value of the label. */
  readonly routes: Map<string, TestedPolicy['routes'][number]>;
  readonly failing: Record<string, number>;
  readonly missed: MissedFinding[];
  hoursUntold: number;
}

/** The times at which routes got a finding, by its fingerprint. */
type ToldTimes = ReadonlyMap<string, readonly number[]>;

/** Adds what would have been sent about a target. `label`: its value of the label by which alerts are counted. */
async function addTarget(
  tally: Tally,
  target: PastTarget,
  { time, label }: { readonly time: AskedTime; readonly label: string },
): Promise<ToldTimes> {
  const told = new Map<string, number[]>();
  for await (const scan of replay(target, tally.rules, time.until)) {
    const sent = new Set(scan.routed.flatMap(({ changes }) => changes));
    for (const [index, { transition, finding }] of scan.verdict.changes.entries()) {
      if (!sent.has(index) || endsAlert(transition)) continue;
      told.set(finding.fingerprint, [...(told.get(finding.fingerprint) ?? []), scan.at]);
    }
    if (scan.at >= time.since) addScan(tally, scan, label);
  }
  return told;
}

function addScan({ rules, routes, failing }: Tally, scan: ReplayedScan, label: string): void {
  const { filed, digests } = deliveriesOf(scan.verdict, scan.routed, scan.resolved);
  const add = (
    route: string,
    alerts: number,
    { changes, omitted = {} }: (typeof digests)[number]['entry'],
  ) => {
    const count = Object.values(omitted).reduce((sum, one) => sum + one, changes.length);
    const key = JSON.stringify([route, label]);
    const { mode = 'digest' } = rules.routing.rules.find(({ name }) => name === route) ?? {};
    const empty = { route, ...(label === '' ? {} : { label }), mode, alerts: 0, changes: 0 };
    const before = routes.get(key) ?? empty;
    routes.set(key, { ...before, alerts: before.alerts + alerts, changes: before.changes + count });
  };
  for (const { identity, notification } of filed) add(identity.route, 1, notification);
  for (const { route, entry } of digests) add(route, 0, entry);
  for (const { transition, finding } of scan.verdict.changes) {
    if ((transition !== 'opened' && transition !== 'reopened') || !isAlert(finding)) continue;
    failing[finding.severity] = (failing[finding.severity] ?? 0) + 1;
  }
}

function addMissed(tally: Tally, severe: readonly SevereFinding[], told: ToldTimes, time: AskedTime): void {
  for (const { finding, from, until, ...what } of severe) {
    const end = until ?? time.until;
    const toldAt = told.get(finding.fingerprint)?.find((at) => at >= from && at <= end);
    const hours = Math.max(0, (toldAt ?? end) - Math.max(from, time.since)) / 3_600;
    tally.hoursUntold += hours;
    if (toldAt !== undefined) continue;
    const ended = until === undefined ? {} : { until: timeOf(until) };
    const subject = { purl: finding.package.purl, advisory: finding.advisory?.id ?? '' };
    tally.missed.push({ ...what, ...subject, from: timeOf(from), ...ended, hours: Math.round(hours) });
  }
}

function answerOf({ routes, failing, missed, hoursUntold }: Tally): TestedPolicy {
  const sum = (name: 'alerts' | 'changes') => [...routes.values()].reduce((all, one) => all + one[name], 0);
  return {
    ...{ alerts: sum('alerts'), changes: sum('changes') },
    routes: [...routes].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one),
    ...{ failing, missedCount: missed.length, hoursUntold: Math.round(hoursUntold) },
    missed: missed.sort((left, right) => right.hours - left.hours).slice(0, MAX_LISTED),
  };
}
