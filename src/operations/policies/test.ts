import { z } from 'zod';
import { routingOf } from '../../compose/notify/routing.ts';
import { NO_ROUTING, suppressionsIn } from '../../compose/ports.ts';
import { policyOf } from '../../config/effective-policy.ts';
import { type LoadedConfig, parseYaml } from '../../config/load.ts';
import { notify } from '../../config/sections/notify.ts';
import { owners } from '../../config/sections/owners.ts';
import { policy } from '../../config/sections/policy.ts';
import { configuredSuppressions, suppressions } from '../../config/sections/suppressions.ts';
import { deliveriesOf } from '../../jobs/scan/deliveries.ts';
import type { MissedFinding, TestedPolicy } from '../../model/api/lockhound-api.generated.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import type { Finding } from '../../model/scan/finding.ts';
import { isAlert } from '../../model/scan/is-alert.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { hasLabels } from '../../model/wildcard.ts';
import { isMalware } from '../../policy/rules/vulnerability.ts';
import type { ComparisonRules } from '../../scan/compare.ts';
import { type PastTarget, type ReplayedScan, replay, rulesNotReplayed } from '../../scan/replay.ts';
import { nothingStored, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { type AskedTime, timeOf } from '../packages/periods.ts';
import { sinceOf } from '../parameters.ts';
import { Refusal } from '../refusal.ts';
import { type ReadLedger, readLedger, withFacts } from './past.ts';

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

const MAX_CHARACTERS = 1_048_576;
const MAX_FAULTS = 10;

/** The parts of a configuration that decide about alerts. Others are not looked at, and no secret is read. */
const schema = z.object({ policy: policy.prefault({}), notify: notify.optional(), suppressions, owners });

/** The rules of now: those of the configuration and its VEX documents. */
async function currentRules(loaded: LoadedConfig): Promise<ComparisonRules> {
  const { notify: routes } = loaded.config;
  const routing = routes === undefined ? NO_ROUTING : routingOf(routes);
  return { routing, policy: policyOf(loaded.config), suppressions: await suppressionsIn(loaded)() };
}

/** The rules in a text. Without `notify` it has the routes of now. Throws `Refusal` (`config-invalid`). */
function testedRules(
  { path, text }: { readonly path: string; readonly text: string },
  current: ComparisonRules,
): ComparisonRules {
  const refused = (detail: string) => new Refusal(400, 'config-invalid', `${path} ${detail}`);
  if (text.length > MAX_CHARACTERS) throw refused(`has more than ${MAX_CHARACTERS} characters`);
  let content: unknown;
  try {
    content = parseYaml(path, text);
  } catch (error) {
    throw new Refusal(400, 'config-invalid', messageOf(error));
  }
  const known = Object.keys(schema.shape);
  if (!isObject(content) || !known.some((key) => Object.hasOwn(content, key)))
    throw refused(`has none of ${known.join(', ')}`);
  const { data, error } = schema.safeParse(content);
  if (data === undefined) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw refused(`is not valid: ${faults.slice(0, MAX_FAULTS).join('; ')}`);
  }
  const routing = data.notify === undefined ? current.routing : routingOf(data.notify);
  return { routing, policy: policyOf(data), suppressions: configuredSuppressions(data.suppressions) };
}

/** Conditions of routes on what the ledger does not have, or has of some packages alone. */
const UNKNOWN_CONDITIONS = ['minEpss', 'withoutGroups', 'fixable', 'owners', 'direct'] as const;

/** Settings that have no effect on the past, or another one than in a worker. */
function notReplayed(all: readonly ComparisonRules[]): string[] {
  const found = all.flatMap(({ policy: own, routing: { rules } }) => [
    ...rulesNotReplayed(own).map((rule) => `policy.rules.${rule}`),
    ...(own.developmentStep > 0 ? ['policy.developmentStep'] : []),
    ...UNKNOWN_CONDITIONS.filter((name) => rules.some(({ match }) => match[name] !== undefined)).map(
      (name) => `match.${name}`,
    ),
  ]);
  return [...new Set(found)].sort();
}
