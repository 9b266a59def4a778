import type { Store } from '../../compose/store.ts';
import { packageOf } from '../../fleet/identity.ts';
import type { ExposureGroup, HeldPeriod, TargetExposure } from '../../model/api/lockhound-api.generated.ts';
import { defined } from '../../model/defined.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import type { Advisory } from '../../model/scan/inventory.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import { chunks } from '../../model/yielding.ts';
import { compareText } from '../../policy/finding-order.ts';
import { versionsNaming } from '../../store/fleet/versions-naming.ts';
import { type OperationContext, unreadableOf } from '../context.ts';
import type { Operation } from '../operation.ts';
import { findSelected, type Holder, type HolderTest } from '../packages/holders.ts';
import { EVER, holdersBefore, PART, readLedger, startOf, timeOf } from '../packages/periods.ts';
import { labelTest } from '../parameters.ts';

/** How long targets held versions that an advisory affects, as far as their ledgers know it. */
export const exposure: Operation<'lockhound.findings.exposure'> = async ({ params, principal }, context) => {
  const { advisory, label, by, limit } = params;
  const hasLabels = labelTest(label);
  const fits: HolderTest = (one) => principal.sees(one.target) && hasLabels?.(one) !== false;
  const { names, records, holders, ...exposed } = await exposedTargets(context, advisory, fits);
  const all: TargetExposure[] = [];
  let { notKnown } = exposed;
  for (const part of chunks(holders, PART)) {
    const exposures = part.map(async (holder) => {
      const { entries, isCut, shown } = await readLedger(context, holder);
      if (isCut) notKnown += 1;
      return exposureOf(holder, await shown(), alertsIn(entries, names));
    });
    all.push(...(await Promise.all(exposures)).flat());
  }
  return {
    advisories: principal.seesAll || all.length > 0 ? [...records.keys()].sort() : [],
    versions: [...new Set(all.flatMap(({ purls }) => purls))].sort(),
    count: all.length,
    targets: all.slice(0, limit),
    groups: groupsOf(all, by),
    notKnown,
    ...unreadableOf(context, principal),
  };
};

export interface ExposedTargets {
  /** The name that was asked for, and the ids of the advisories that have it. */
  readonly names: ReadonlySet<string>;
  /** The known records of these advisories, by their ids. */
  readonly records: ReadonlyMap<string, Advisory | undefined>;
  /** The targets that hold or held a version of which the stored facts say that one of them affects it. */
  readonly holders: readonly Holder[];
  /** Number of targets without a ledger. */
  readonly notKnown: number;
}

/** The targets that hold or held a version that an advisory affects. Throws `Refusal` (`nothing-stored`). */
export async function exposedTargets(
  context: OperationContext,
  advisory: string,
  fits: HolderTest,
): Promise<ExposedTargets> {
  const records = new Map<string, Advisory | undefined>();
  const current = await findSelected(
    context,
    async (_, store) => {
      const named = await advisoriesNamed(store, advisory);
      for (const [id, record] of named) records.set(id, record ?? records.get(id));
      const naming = await versionsNaming(store.facts.versions, [...named.keys()]);
      const found = await store.packageIds.find([...naming.keys()]);
      return new Map([...found].map(([identity, id]) => [id, packageOf(identity)]));
    },
    fits,
  );
  const { holders, notKnown } = await holdersBefore(context, current, { fits, since: EVER.since });
  return { names: new Set([advisory, ...records.keys()]), records, holders, notKnown };
}

/** The advisories that have a name, by their id, in one shard. */
async function advisoriesNamed(
  { facts }: Store,
  name: string,
): Promise<ReadonlyMap<string, Advisory | undefined>> {
  const found = new Map<string, Advisory | undefined>([[name, undefined]]);
  for await (const part of facts.advisories.scan(JSON.stringify(name))) {
    const candidates = part.map(([id]) => id);
    for (const [index, fact] of (await facts.advisories.read(candidates)).entries()) {
      const id = candidates[index];
      if (id === undefined || fact === undefined || !('record' in fact)) continue;
      if (id === name || fact.record.aliases.includes(name)) found.set(id, fact.record);
    }
  }
  return found;
}

interface Alerts {
  /** Seconds since 1970. */
  readonly opened?: number;
  /** The alerts that receivers accepted, in order. */
  readonly told: readonly { readonly route: string; readonly at: number }[];
}

/** When the first alert about one of the advisories opened, and who accepted one when. */
export function alertsIn(entries: readonly LedgerEntry[], names: ReadonlySet<string>): Alerts {
  const routesOf = new Map<string, ReadonlySet<string>>();
  const told: Alerts['told'][number][] = [];
  let opened: number | undefined;
  for (const { at, scan, findings = [], delivered } of entries) {
    if (delivered !== undefined) {
      if (routesOf.get(scan)?.has(delivered) === true) told.push({ route: delivered, at });
      continue;
    }
    const own = findings.filter(
      ({ transition, advisory = '', aliases = [] }) =>
        !endsAlert(transition) && [advisory, ...aliases].some((name) => names.has(name)),
    );
    if (own.length === 0) continue;
    opened ??= at;
    routesOf.set(scan, new Set(own.flatMap(({ routes = [] }) => routes)));
  }
  return { told, ...defined({ opened }) };
}

/** The exposure of a target; `undefined` for one that held no affected version in the time that is known. */
function exposureOf(
  { target, labels }: Holder,
  periods: readonly HeldPeriod[],
  { opened, told: [alert] }: Alerts,
): readonly TargetExposure[] {
  const [first] = periods.toSorted((left, right) => compareText(startOf(left), startOf(right)));
  if (first === undefined) return [];
  const isExposed = periods.some(({ until, notKnownAfter }) => (until ?? notKnownAfter) === undefined);
  const isEndKnown = periods.every(({ notKnownAfter }) => notKnownAfter === undefined);
  const ends = periods.flatMap(({ until }) => until?.at ?? []).sort();
  const removedAt = isExposed || !isEndKnown ? undefined : ends.at(-1);
  const exposedAt = first.from?.at;
  const alertedAt = alert === undefined ? undefined : timeOf(alert.at);
  const end = isExposed ? new Date().toISOString() : removedAt;
  return [
    {
      ...{ target, labels },
      purls: [...new Set(periods.map(({ purl }) => purl))].sort(),
      ...defined({
        exposedAt,
        notKnownBefore: exposedAt === undefined ? first.notKnownBefore : undefined,
        openedAt: opened === undefined ? undefined : timeOf(opened),
        alertedAt,
        removedAt,
      }),
      isExposed,
      ...defined({
        hoursBeforeAlert: hoursBetween(exposedAt, alertedAt),
        hoursAfterAlert: hoursBetween(alertedAt, end),
      }),
    },
  ];
}

/** With one decimal; 0 when the second time is not later. */
function hoursBetween(from: string | undefined, to: string | undefined): number | undefined {
  if (from === undefined || to === undefined) return undefined;
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 360_000) / 10);
}

function groupsOf(all: readonly TargetExposure[], by: string | undefined): ExposureGroup[] {
  const labelOf = ({ labels }: TargetExposure) =>
    by !== undefined && Object.hasOwn(labels, by) ? labels[by] : undefined;
  const monthOf = ({ alertedAt, openedAt, exposedAt, notKnownBefore = '' }: TargetExposure) =>
    (alertedAt ?? openedAt ?? exposedAt ?? notKnownBefore).slice(0, 7);
  const groups = Map.groupBy(all, (one) => JSON.stringify([labelOf(one) ?? null, monthOf(one)]));
  return [...groups.values()]
    .map((own): ExposureGroup => {
      const [one] = own as [TargetExposure];
      const before = own.flatMap(({ hoursBeforeAlert }) => hoursBeforeAlert ?? []);
      const after = own.flatMap(({ hoursAfterAlert }) => hoursAfterAlert ?? []);
      return {
        ...defined({ label: labelOf(one) }),
        month: monthOf(one),
        targets: own.length,
        exposed: own.filter(({ isExposed }) => isExposed).length,
        alerted: own.filter(({ alertedAt }) => alertedAt !== undefined).length,
        ...defined({
          medianHoursBeforeAlert: quantile(before, 0.5),
          p95HoursBeforeAlert: quantile(before, 0.95),
          medianHoursAfterAlert: quantile(after, 0.5),
          p95HoursAfterAlert: quantile(after, 0.95),
        }),
      };
    })
    .sort(
      (left, right) =>
        compareText(left.label ?? '', right.label ?? '') || compareText(left.month, right.month),
    );
}

/** The nearest rank: the smallest value that so large a part of the values does not exceed. */
function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}
