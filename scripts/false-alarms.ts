import compare from 'semver/functions/compare.js';
import type { NewRequirement, ReleaseDetail, ReleaseFacts } from '../src/model/signal/release-facts.ts';
import { comparedRelease, isPrerelease, lineOf, predecessors } from '../src/policy/signals/detector.ts';
import { signalsOf } from '../src/policy/signals/evaluate.ts';
import { INCIDENT_SCORE, suspicionOf } from '../src/policy/signals/suspicion.ts';
import { isAddress } from '../src/policy/signals/young-requirement.ts';
import { readArguments } from './arguments.ts';
import { countLookUps, firstPublished, type History, readHistory } from './false-alarms/history.ts';
import { lockedLines } from './false-alarms/locked-lines.ts';

/*
 * Counts false alarms over the history of real npm packages, in two ways. The worst case: each version is taken an hour after its
 * publication. Lockfiles: those that are updated every day, week and month take the latest version of that moment. Each version that was
 * taken is inspected again after 71 hours. Reads the histories with npm, so it asks the registry that npm is configured for, or npm's cache
 * alone with `npm_config_offline=true`. Advisories and the index are not asked: an alert that an advisory would explain is counted.
 *
 * Arguments: names of packages, which take the latest version of all; or lockfiles, whose packages stay in the lines that are locked, each
 * change of a package counted once. With names beside
 * lockfiles, only these packages are counted. Packages whose history is not at hand are left out.
 *
 *     node scripts/false-alarms.ts fastify undici zod
 *     npm_config_offline=true node scripts/false-alarms.ts --lockfile package-lock.json --lockfile ../other/yarn.lock
 */

const HOUR_MS = 3_600_000;
const POLICY = { minimumAge: 72 * HOUR_MS, rules: {} };
/** Older times are often those of a mirror. */
const COUNTED_FROM = Date.parse('2025-07-01');

async function factsAt(history: History, version: string, at: number): Promise<ReleaseFacts> {
  const releases = history.releases.filter(({ publishedAt }) => publishedAt <= at);
  const before = predecessors(releases, version);
  const comparedWith = comparedRelease(releases, version)?.version;
  const details = new Map(
    [...before.slice(-5).map((one) => one.version), version].map((one): [string, ReleaseDetail] => [
      one,
      {
        provenances: history.attested.has(one) ? [{ verified: true, sourceRepository: history.name }] : [],
        projects: [],
        advisoryIds: [],
      },
    ]),
  );
  const old = new Set(Object.keys(history.requirements.get(comparedWith ?? '') ?? {}));
  const added = Object.entries(history.requirements.get(version) ?? {}).filter(([name]) => !old.has(name));
  const newRequirements = await Promise.all(
    added.map(async ([name, requirement]): Promise<NewRequirement> => {
      const first = isAddress(requirement) ? undefined : await firstPublished(name);
      return first === undefined
        ? { name, requirement }
        : {
            name,
            requirement,
            releases: [{ version: '0', publishedAt: first, isDefault: true, isDeprecated: false }],
          };
    }),
  );
  return {
    key: { system: 'NPM', name: history.name, version },
    at,
    releases,
    details,
    ...(comparedWith === undefined ? {} : { comparedWith, newRequirements }),
  };
}

/** What was counted in one way. */
interface Count {
  changes: number;
  readonly alerts: string[];
  readonly signals: Map<string, { notes: number; alerts: number }>;
}

/** The worst case, and lockfiles by the days between their updates. */
const CADENCES: readonly (number | 'worst case')[] = ['worst case', 1, 7, 30];
const counts = new Map<number | 'worst case', Count>(
  CADENCES.map((cadence) => [cadence, { changes: 0, alerts: [], signals: new Map() }]),
);

/** A version, and when it is locked, in ms. */
type Taken = readonly [version: string, at: number];

/** The versions that are taken from a history: of one line, or of all. */
function takenBy(
  { releases: all }: History,
  cadence: number | 'worst case',
  line?: string,
): readonly Taken[] {
  const releases = all.filter(
    ({ version }) => !isPrerelease(version) && (line === undefined || lineOf(version) === line),
  );
  if (cadence === 'worst case') {
    const counted = releases.filter(({ publishedAt }) => publishedAt >= COUNTED_FROM);
    return counted.map(({ version, publishedAt }): Taken => [version, publishedAt + HOUR_MS]);
  }
  const taken: Taken[] = [];
  const latestAt = (at: number) =>
    releases
      .filter(({ publishedAt }) => publishedAt <= at)
      .reduce((best, { version }) => (best === '' || compare(version, best) > 0 ? version : best), '');
  let locked = latestAt(COUNTED_FROM);
  for (let at = COUNTED_FROM + cadence * 24 * HOUR_MS; at < Date.now(); at += cadence * 24 * HOUR_MS) {
    const latest = latestAt(at);
    if (latest !== locked) taken.push([latest, at]);
    locked = latest;
  }
  return taken;
}

async function countChange(history: History, [version, at]: Taken, counted: Count): Promise<void> {
  counted.changes += 1;
  const publishedAt = history.releases.find((one) => one.version === version)?.publishedAt ?? at;
  const first = signalsOf(await factsAt(history, version, at), POLICY, undefined);
  const again = publishedAt + 71 * HOUR_MS;
  const before = { inspectedAt: '', signals: first, unknown: [] };
  const second = again < at ? [] : signalsOf(await factsAt(history, version, again), POLICY, before);
  const found = [first, second]
    .flatMap((signals) => suspicionOf({ signals }, { target: '', groups: [] }, POLICY) ?? [])
    .sort((left, right) => right.score - left.score)[0];
  if (found === undefined) return;
  const isAlert = found.score >= INCIDENT_SCORE;
  const texts = found.reasons.map(({ text }) => text).join('; ');
  if (isAlert) counted.alerts.push(`${history.name} ${version} (${found.score}): ${texts}`);
  for (const { signal } of found.reasons) {
    const known = counted.signals.get(signal) ?? { notes: 0, alerts: 0 };
    counted.signals.set(signal, known);
    known[isAlert ? 'alerts' : 'notes'] += 1;
  }
}

const { values, positionals } = readArguments(import.meta.url, {
  options: { lockfile: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const lines: ReadonlyMap<string, Iterable<string | undefined>> = values.lockfile === undefined
  ? new Map(positionals.map((name) => [name, [undefined]]))
  : await lockedLines(values.lockfile, positionals);
const unread: string[] = [];
for (const [name, locked] of lines) {
  const history = await readHistory(name).catch(() => void unread.push(name));
  if (history === undefined) continue;
  for (const line of locked) {
    for (const [cadence, counted] of counts) {
      for (const taken of takenBy(history, cadence, line)) await countChange(history, taken, counted);
    }
  }
}
console.log(
  `${lines.size - unread.length} packages, ${unread.length} without a history; ${countLookUps()} new requirements`,
);
for (const [cadence, { changes, alerts, signals }] of counts) {
  const rate = (number: number): string => ((number * 1_000) / Math.max(1, changes)).toFixed(2);
  const title = cadence === 'worst case' ? cadence : `an update every ${cadence} days`;
  console.log(
    `\n${title}: ${changes} package changes, ${alerts.length} alerts (${rate(alerts.length)} per 1,000)`,
  );
  for (const [signal, one] of [...signals].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const [notes, inAlerts] = [rate(one.notes).padStart(8), rate(one.alerts).padStart(8)];
    console.log(`  ${signal.padEnd(20)} in notes ${notes}   in alerts ${inAlerts}   per 1,000`);
  }
  for (const line of alerts) console.log(`  ${line}`);
}
