import { dataFolder } from '../../config/data-folder.ts';
import { keyOfIdentity, lockedPackageOf } from '../../fleet/identity.ts';
import { heldPeriods } from '../../fleet/ledger/held-periods.ts';
import { headOf } from '../../fleet/ledger/ledger-entries.ts';
import { allIds } from '../../fleet/ledger/lockfile-deltas.ts';
import { LOCKFILES, type ViewedTarget } from '../../fleet/view/viewed-target.ts';
import { CodedError, undefinedFor } from '../../model/errors.ts';
import type { LedgerEntry } from '../../model/fleet/ledger.ts';
import { endsAlert } from '../../model/scan/transition.ts';
import type { PastPackage, PastTarget } from '../../scan/replay.ts';
import { idsOfLockfiles } from '../../store/fleet/ledger.ts';
import { firstShard, type OperationContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** The ledger of a target. Times are in seconds since 1970. */
export interface ReadLedger extends Pick<PastTarget, 'target' | 'since'> {
  readonly packages: readonly Omit<PastPackage, 'record' | 'advisories'>[];
  /** Since when it is known what it held. */
  readonly knownSince: number;
  /** Package versions whose names are lost. */
  readonly nameless: number;
  readonly entries: readonly LedgerEntry[];
}

/** `undefined` for a target without a ledger. */
export async function readLedger(
  { fleet }: Pick<OperationContext, 'fleet'>,
  viewed: ViewedTarget,
): Promise<ReadLedger | undefined> {
  const { target: id, labels } = viewed;
  const store = fleet.of(id);
  const entries = await store.ledger.read(id, fleet.onUnreadable);
  const first = entries.find(({ delivered }) => delivered === undefined);
  if (first === undefined) return undefined;
  const files = (viewed[LOCKFILES] ?? []).filter(({ inventory }) => inventory !== undefined);
  const lists = await idsOfLockfiles(store.inventories, files);
  const current = files.flatMap(({ path, inventory = '' }) => {
    const ids = lists.get(inventory);
    return ids === undefined ? [] : [[path, allIds({ ids })] as const];
  });
  const periods = heldPeriods(entries, new Map(current), { has: () => true });
  const identities = await store.packageIds.identities(periods.map((one) => one.id));
  const packages = periods.flatMap(({ path, direct, from, notKnownBefore, until, notKnownAfter }, index) => {
    const identity = identities[index];
    if (identity === undefined) return [];
    // What was held before a part that is lost is held until the ledger begins again, as far as that is known.
    const again = entries.find(
      ({ at, start }) => start && notKnownAfter !== undefined && at >= notKnownAfter,
    );
    const end = until?.at ?? again?.at ?? Number.POSITIVE_INFINITY;
    const locked = { ...lockedPackageOf(identity), direct };
    return [{ path, locked, from: from?.at ?? notKnownBefore ?? first.at, until: end }];
  });
  const knownSince = headOf(entries)?.since ?? first.at;
  const nameless = periods.length - packages.length;
  return { target: { id, labels: { ...labels } }, since: first.at, packages, entries, knownSince, nameless };
}

/** Package versions that are looked up for one question. */
const MAX_PACKAGES = 100_000;

type Context = Pick<OperationContext, 'loaded' | 'fleet' | 'gate' | 'exploits'>;

/**
 * Adds to ledgers what is known now of their packages, and counts what is not known. An advisory is known since it was published, as an
 * imported one states it, or else since the first alert about it. Throws `Refusal`.
 */
export async function withFacts(
  context: Context,
  ledgers: readonly ReadLedger[],
  { seesAll, signal }: { readonly seesAll: boolean; readonly signal: AbortSignal },
) {
  const all = ledgers.flatMap(({ packages }) => packages.map(({ locked }) => locked));
  const asked = [...new Map(all.map((one) => [one.purl, one])).values()];
  if (asked.length > MAX_PACKAGES)
    throw new Refusal(400, 'too-many-packages', `more than ${MAX_PACKAGES} versions: state labels`);
  const insights = (await context.gate.open()).insights(seesAll);
  const { resolutions } = await insights.resolve(asked, { signal });
  const records = new Map(asked.map(({ purl }, index) => [purl, resolutions[index]?.record]));
  const ids = [...new Set([...records.values()].flatMap((record) => record?.advisoryIds ?? []))].sort();
  const found = await Promise.all(ids.map((id) => insights.advisory(id, signal).catch(() => undefined)));
  signal.throwIfAborted();
  const advisories = new Map(found.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const])));
  const published = await publishedTimes(
    context,
    ids.map((id) => [id, ...(advisories.get(id)?.aliases ?? [])]),
  );
  const told = firstAlerts(ledgers.flatMap(({ entries }) => entries));
  // One that cannot be read would count as no finding.
  const [read, unread] = [ids.filter((id) => advisories.has(id)), ids.filter((id) => !advisories.has(id))];
  const dated = read.flatMap((id) => {
    const at = published.get(id) ?? told.get(id);
    return at === undefined ? [] : [[at, id] as const];
  });
  const known = new Map(
    Array.from(records, ([purl, record]) => {
      const own = new Set(record?.advisoryIds);
      return [purl, { record, advisories: own.size === 0 ? [] : dated.filter(([, id]) => own.has(id)) }];
    }),
  );
  const withFact = (one: ReadLedger['packages'][number]): PastPackage => {
    return { ...one, ...(known.get(one.locked.purl) ?? { record: undefined, advisories: [] }) };
  };
  const exploits = await context.exploits();
  const unknown = asked.filter(
    ({ id, purl }) => records.get(purl) === undefined && 'system' in keyOfIdentity(id),
  );
  const nameless = ledgers.reduce((sum, one) => sum + one.nameless, 0);
  return {
    targets: ledgers.map(({ target, since, packages }): PastTarget => {
      return { target, since, packages: packages.map(withFact), advisories, exploits };
    }),
    counts: {
      ...{ packages: asked.length + nameless, packagesNotKnown: unknown.length + nameless },
      ...{
        advisories: dated.length,
        datedByAlert: read.filter((id) => !published.has(id) && told.has(id)).length,
      },
    },
    undated: [...unread, ...read.filter((id) => !published.has(id) && !told.has(id))],
  };
}

/** When the first alert about an advisory opened, by its names. */
function firstAlerts(entries: readonly LedgerEntry[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const { at, findings = [] } of entries) {
    for (const { advisory = '', aliases = [] } of findings.filter((one) => !endsAlert(one.transition)))
      for (const name of [advisory, ...aliases]) told.set(name, Math.min(at, told.get(name) ?? at));
  }
  return told;
}

/** When advisories were published, as imported ones state it under one of their names; by the first name. */
async function publishedTimes(
  { loaded, fleet }: Context,
  named: readonly (readonly string[])[],
): Promise<ReadonlyMap<string, number>> {
  const { openAdvisoryIndex } = await import('../../compose/advisory-index.ts');
  const { advisoryChanges } = firstShard(fleet);
  const folder = dataFolder(loaded.config.data.folder);
  const index = await openAdvisoryIndex(folder, advisoryChanges).catch(
    undefinedFor(CodedError, 'database-missing'),
  );
  if (index === undefined) return new Map();
  const advisories = await index.current();
  const times = named.flatMap((names) => {
    const [stated] = names.flatMap((name) => advisories.find(name)?.published ?? []);
    return stated === undefined ? [] : [[names[0] ?? '', Math.floor(Date.parse(stated) / 1_000)] as const];
  });
  await index.close();
  return new Map(times);
}
