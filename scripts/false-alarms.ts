import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import compare from 'semver/functions/compare.js';
import type {
  NewRequirement,
  Release,
  ReleaseDetail,
  ReleaseFacts,
} from '../src/model/signal/release-facts.ts';
import { signalsOf } from '../src/policy/signals/evaluate.ts';
import { INCIDENT_SCORE } from '../src/policy/signals/score.ts';
import { suspicionOf } from '../src/policy/signals/suspicion.ts';
import { isPrerelease, lineOf, predecessors } from '../src/policy/signals/versions.ts';
import { isAddress } from '../src/policy/signals/young-requirement.ts';

/*
 * Counts false alarms over the history of real npm packages, in two ways. The worst case: each version is taken an hour after its
 * publication. Lockfiles: those that are updated every day, week and month take the latest version of that moment. Each version that was
 * taken is inspected again after 71 hours. Reads the histories with npm, so it asks the registry that npm is configured for, or npm's cache.
 * Arguments: names of packages. Advisories and the index are not asked: an alert that an advisory would explain is counted.
 *
 *     node scripts/false-alarms.ts fastify undici zod
 */

const HOUR_MS = 3_600_000;
const POLICY = { minimumAge: 72 * HOUR_MS, rules: {} };
/** Older times are often those of a mirror. */
const COUNTED_FROM = Date.parse('2025-07-01');
const run = promisify(execFile);

interface History {
  readonly name: string;
  readonly releases: readonly (Release & { readonly publishedAt: number })[];
  readonly attested: ReadonlySet<string>;
  readonly requirements: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

interface ViewedVersion {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly 'dist.attestations.url'?: string;
}

async function view<Value>(...args: readonly string[]): Promise<Value> {
  const { stdout } = await run('npm', ['view', ...args, '--json', '--prefer-offline'], {
    maxBuffer: 256 << 20,
  });
  return JSON.parse(stdout === '' ? 'null' : stdout) as Value;
}

async function readHistory(name: string): Promise<History> {
  const times = await view<Readonly<Record<string, string>>>(name, 'time');
  const fields = ['version', 'dependencies', 'optionalDependencies', 'deprecated', 'dist.attestations.url'];
  const found = await view<ViewedVersion | readonly ViewedVersion[]>(`${name}@>=0.0.0`, ...fields);
  const versions = Array.isArray(found) ? (found as readonly ViewedVersion[]) : [found as ViewedVersion];
  const releases = versions.flatMap(({ version }) => {
    const publishedAt = Date.parse(times[version] ?? '');
    // When a version was deprecated is not in the history.
    return Number.isNaN(publishedAt) ? [] : { version, publishedAt, isDefault: false, isDeprecated: false };
  });
  return {
    name,
    releases: coherent(withoutCopies(releases)),
    attested: new Set(
      versions.flatMap((one) => (one['dist.attestations.url'] === undefined ? [] : one.version)),
    ),
    requirements: new Map(
      versions.map((one) => [one.version, { ...one.dependencies, ...one.optionalDependencies }]),
    ),
  };
}

type Dated = History['releases'][number];

/** More versions than these within a minute were copied by a mirror, and not published. */
const MAX_IN_A_MINUTE = 4;

function withoutCopies(releases: readonly Dated[]): readonly Dated[] {
  return releases.filter(
    ({ publishedAt }) =>
      releases.filter((one) => Math.abs(one.publishedAt - publishedAt) <= 60_000).length <= MAX_IN_A_MINUTE,
  );
}

/**
 * Releases whose times follow their versions within each line, as far as possible. A mirror reports the time at which it copied an old
 * version, and those times are in no order.
 */
function coherent(releases: readonly Dated[]): readonly Dated[] {
  const lines = Map.groupBy(releases, ({ version }) => lineOf(version));
  return [...lines.values()].flatMap((line) => {
    const sorted = line.toSorted((left, right) => compare(left.version, right.version));
    const best: { readonly length: number; readonly previous: number }[] = [];
    for (const [index, one] of sorted.entries()) {
      let [length, previous] = [1, -1];
      for (let at = 0; at < index; at += 1) {
        const known = best[at]?.length ?? 0;
        if ((sorted[at]?.publishedAt ?? 0) >= one.publishedAt || known < length) continue;
        [length, previous] = [known + 1, at];
      }
      best.push({ length, previous });
    }
    let at = best.reduce((top, one, index) => (one.length >= (best[top]?.length ?? 0) ? index : top), 0);
    const kept: Dated[] = [];
    for (; at >= 0; at = best[at]?.previous ?? -1) kept.push(...sorted.slice(at, at + 1));
    return kept;
  });
}

const created = new Map<string, Promise<number | undefined>>();
let lookUps = 0;
const MAX_LOOK_UPS = 60;

/** When a package was first published; not known once enough packages were looked up. */
function firstPublished(name: string): Promise<number | undefined> {
  const known = created.get(name);
  if (known !== undefined) return known;
  lookUps += 1;
  const time =
    lookUps > MAX_LOOK_UPS
      ? Promise.resolve(undefined)
      : view<string>(name, 'time.created').then(
          (text) => Date.parse(text) || undefined,
          () => undefined,
        );
  created.set(name, time);
  return time;
}

async function factsAt(history: History, version: string, at: number): Promise<ReleaseFacts> {
  const releases = history.releases.filter(({ publishedAt }) => publishedAt <= at);
  const before = predecessors(releases, version);
  const comparedWith = before.at(-1)?.version;
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

function takenBy(history: History, cadence: number | 'worst case'): readonly Taken[] {
  const releases = history.releases.filter(({ version }) => !isPrerelease(version));
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

for (const name of process.argv.slice(2)) {
  const history = await readHistory(name);
  for (const [cadence, counted] of counts) {
    for (const taken of takenBy(history, cadence)) await countChange(history, taken, counted);
  }
}
console.log(`${process.argv.length - 2} packages; ${lookUps} new requirements`);
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
