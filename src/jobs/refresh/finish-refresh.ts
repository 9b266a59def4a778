import { z } from 'zod';
import { lockedPackageOf } from '../../fleet/identity.ts';
import { defined } from '../../model/defined.ts';
import type { RefreshedPart, RefreshRecord } from '../../model/fleet/refresh.ts';
import { CADENCES } from '../../model/fleet/refresh.ts';
import { lazily } from '../../model/lazily.ts';
import type { LockedPackage } from '../../model/lockfile/lockfile.ts';
import { lossText } from '../../model/losses/evidence.ts';
import type { OutcomeName } from '../../model/queue/open-job.ts';
import { REFRESHED_PART } from '../../model/stored/catalog.ts';
import { followUp, type Job, type RunContext } from '../job.ts';
import { dividedAt, partNames, scanId, timestamp } from '../payloads/fields.ts';
import type { FleetPort, OutcomePort, Ports } from '../ports.ts';
import { isSuperseded, refreshFacts, releaseOf } from './refresh-facts.ts';
import { selectTargets } from './select-targets.ts';

const MAX_PARTS = 100_000;

const schema = lazily(() =>
  z.strictObject({
    refresh: scanId(),
    cadence: z.enum(CADENCES),
    requestedAt: timestamp(),
    dividedAt: dividedAt(),
    packageParts: z.int().nonnegative().max(MAX_PARTS),
    advisoryParts: z.int().nonnegative().max(MAX_PARTS),
  }),
);

type FinishRefresh = z.infer<ReturnType<typeof schema>>;

type Needs = 'fleet' | 'outcomes' | 'insights';

/** Older versions that are looked up to tell corrections from a service that lost its data. */
const CONTROL_SAMPLE = 100;

/**
 * Ends a refresh: has it decided whether what the service no longer states was corrected or whether it lost its data, and has the
 * targets selected that the changes concern. A refresh of everything also has targets with gaps judged again.
 */
export const finishRefresh: Job<FinishRefresh, RefreshRecord | null, Needs> = {
  name: 'finish-refresh',
  version: 1,
  schema,
  key: keyOf,
  limits: { attempts: 20, backoffMs: 1_000, maxBackoffMs: 120_000, timeoutMs: 600_000, concurrency: 1 },
  async run(payload, ports, context) {
    const { refresh, requestedAt, cadence } = payload;
    if (await isSuperseded(ports.fleet, payload)) return { result: null, next: [] };
    const parts = await readParts(ports.outcomes, payload);
    const before = cadence === 'all' ? (await ports.fleet.lastRefresh('all'))?.dataLoss : undefined;
    const settled = await settle(payload, parts, before, ports, context);
    const record = recordOf(payload, parts, settled, context.startedAt);
    const selects = cadence === 'all' || (await ports.fleet.countPending()) > 0;
    const also = cadence === 'all' ? { also: 'incomplete' as const } : {};
    return {
      result: record,
      next: selects ? [followUp(selectTargets, { selection: refresh, requestedAt, round: 0, ...also })] : [],
      fleet: { claim: releaseOf(payload), refreshed: { cadence, record } },
    };
  },
  log: ({ refresh }, record) => ({
    facts: { refresh, ...record },
    warning: record === null ? 'it was given up, because another one had started' : warningOf(record),
  }),
  spent: (payload) => ({
    marked: [{ job: finishRefresh.name, key: keyOf(payload) }],
    removed: namesOf(payload),
  }),
};

type Parts = Awaited<ReturnType<typeof readParts>>;

/** A part that failed permanently has no result. */
async function readParts(outcomes: OutcomePort, payload: FinishRefresh) {
  const parts = await Promise.all(
    namesOf(payload).map(({ job, key }) => outcomes.read(REFRESHED_PART, job, key)),
  );
  return { packages: parts.slice(0, payload.packageParts), advisories: parts.slice(payload.packageParts) };
}

/** The outcomes of the parts: those of package versions, then those of advisories. */
function namesOf({
  refresh: of,
  dividedAt,
  packageParts,
  advisoryParts,
}: FinishRefresh): readonly OutcomeName[] {
  return partNames(refreshFacts.name, { of, dividedAt }, packageParts + advisoryParts);
}

function keyOf({ refresh, dividedAt }: FinishRefresh): string {
  return `${refresh}.${dividedAt}`;
}

/**
 * Finds the statements that the service seems to have lost. Of a few young versions many may be corrected on one day, so older ones are looked up as well.
 */
async function settle(
  { cadence }: FinishRefresh,
  { packages, advisories }: Parts,
  before: RefreshRecord['dataLoss'],
  { fleet, insights }: Pick<Ports, Needs>,
  { signal, startedAt }: RunContext,
): Promise<Settled> {
  const lost = { versions: lostIn(packages), advisories: lostIn(advisories) };
  if (lost.versions.length === 0 && lost.advisories.length === 0) return {};
  const compared = [...packages, ...advisories].map((part) => part?.kept ?? {});
  if (cadence !== 'all') {
    const sample = await controlSample(fleet);
    const control = await insights.refreshVersions(sample, { signal, since: startedAt });
    lost.versions = [...new Set([...lost.versions, ...control.lost])];
    compared.push(control.kept);
  }
  const dataLoss = await insights.settleLosses({ ...lost, kept: added(compared), before }, { signal });
  const { accepted, of = [] } = before ?? {};
  const believed = of.filter((group) => dataLoss?.of?.includes(group) !== true);
  return {
    ...defined({ dataLoss }),
    ...(accepted === undefined || believed.length === 0
      ? {}
      : { believed: { ...accepted, lost: before?.lost ?? 0, of: believed } }),
  };
}

/** The losses that are doubted, and those that are believed because a person accepted them. */
type Settled = Pick<RefreshRecord, 'dataLoss' | 'believed'>;

function lostIn(parts: Parts['packages']): readonly string[] {
  return parts.flatMap((part) => part?.lost ?? []);
}

function added(counts: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const one of counts) {
    for (const [name, count] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Evenly spread over all package versions of the fleet. */
async function controlSample(fleet: FleetPort): Promise<readonly LockedPackage[]> {
  const ids = await fleet.packageIds();
  const step = Math.max(1, Math.floor(ids.length / CONTROL_SAMPLE));
  const sample = ids.filter((_, index) => index % step === 0).subarray(0, CONTROL_SAMPLE);
  return (await fleet.identities(sample)).map(lockedPackageOf);
}

function recordOf(
  { refresh, requestedAt }: FinishRefresh,
  { packages, advisories }: Parts,
  { dataLoss, believed }: Settled,
  time: number,
): RefreshRecord {
  const all = [...packages, ...advisories];
  const absent = all.filter((part) => part === undefined).length;
  const unanswered = sum(all, (part) => part.unanswered) + absent;
  const reason =
    all.find((part) => part?.reason !== undefined)?.reason ??
    (absent > 0 ? `${absent} of its jobs failed permanently` : dataLoss && lossText(dataLoss));
  return {
    refresh,
    startedAt: requestedAt,
    finishedAt: new Date(time).toISOString(),
    packages: sum(packages, ({ answered, failed }) => answered + failed),
    advisories: sum(advisories, ({ answered, failed }) => answered + failed),
    changed:
      sum(all, ({ changed }) => changed) + (dataLoss === undefined ? sum(all, ({ lost }) => lost.length) : 0),
    failed: sum(all, ({ failed }) => failed) + absent,
    unanswered,
    ...defined({ reason, dataLoss, believed }),
  };
}

function warningOf({ dataLoss, failed }: RefreshRecord): string | undefined {
  if (dataLoss !== undefined) return `${lossText(dataLoss)}; what was known of them stays`;
  return failed === 0 ? undefined : `${failed} look-ups failed; what was known of them stays`;
}

function sum(parts: readonly (RefreshedPart | undefined)[], value: (part: RefreshedPart) => number): number {
  return parts.reduce((total, part) => total + (part === undefined ? 0 : value(part)), 0);
}
