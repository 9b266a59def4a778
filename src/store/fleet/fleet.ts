import { partsOf } from '../../fleet/compact-lockfile.ts';
import type { Fleet, TargetFindings } from '../../fleet/fleet.ts';
import { createIdSet, heldIds, type IdSet, visitIds } from '../../fleet/id-list.ts';
import type { Routing } from '../../model/alert/routing.ts';
import type { WantedFindings } from '../../model/fleet/fleet-finding.ts';
import type { Freshness, RefreshRecord } from '../../model/fleet/refresh.ts';
import { isSupported } from '../../model/fleet/release.ts';
import type { TargetSummary } from '../../model/fleet/target-summary.ts';
import type { DueTarget } from '../../model/queue/outcome.ts';
import type { Advisory, VersionRecordSummary } from '../../model/scan/inventory.ts';
import { REFRESH_RECORD, ROUTING } from '../../model/stored/catalog.ts';
import { chunks, createYielder } from '../../model/yielding.ts';
import { ADVISORY_MEMBER, type AdvisoryChanges, memberTexts, packageMember } from '../advisory-changes.ts';
import type { StoreError } from '../errors.ts';
import type { FactStore } from '../facts/facts.ts';
import type { Keys } from '../keys.ts';
import type { RedisClient } from '../redis/connection.ts';
import { scanParts } from '../redis/scan.ts';
import { defineScript, runScript } from '../scripts/run-script.ts';
import { createTargetStore } from '../targets.ts';
import { createHashValues } from '../values/hash-values.ts';
import { type OnUnreadable, readValue, reportTo, writeText } from '../values/stored-values.ts';
import { CLOCK_SKEW_MS } from './fleet-steps.ts';
import { createFreshness } from './freshness.ts';
import { damagedIds, type Inventories } from './inventories.ts';
import type { PackageIds } from './package-ids.ts';
import { createTargetSummaries, mayHold, summaryValues } from './target-summaries.ts';
import { advisoriesNamed, versionsNaming } from './versions-naming.ts';

/** Targets of one selection; the next one, a minute later, has the others. */
const MAX_DUE = 10_000;

export interface StoredFleet extends Fleet {
  /** Hash of the settings by which all targets were judged last. */
  judgedSettings(): Promise<string | undefined>;
  /** The routes of these settings. `undefined` also where they cannot be read, which is reported. */
  judgedRouting(): Promise<Routing | undefined>;
  /** Revision of the suppressions of `lockhound ignore` by which all targets were judged last. */
  judgedSuppressions(): Promise<string>;
  /**
   * Has the next refresh of everything believe what the last one doubted. Returns the loss; `undefined` when the last refresh doubted
   * nothing, or another one ended meanwhile.
   */
  acceptLoss(by: string, at: string): Promise<RefreshRecord['dataLoss']>;
  /** How fresh the facts of the fleet are. `staleAfterMs`: `watch.staleAfter`. */
  freshness(staleAfterMs: number): Promise<Freshness>;
}

export interface FleetParts {
  readonly packageIds: PackageIds;
  readonly inventories: Inventories;
  readonly facts: {
    readonly versions: FactStore<VersionRecordSummary>;
    readonly advisories: FactStore<Advisory>;
  };
  /** The names in lists of changes since a time, in ms. Default: none. */
  readonly listedSince?: AdvisoryChanges['listedSince'];
  readonly onUnreadable?: (error: StoreError) => void;
}

export function createFleet(redis: RedisClient, keys: Keys, parts: FleetParts): StoredFleet {
  const { packageIds, inventories, facts, listedSince = async () => [], onUnreadable = () => {} } = parts;
  const lists = { inventories, onUnreadable };
  const ids = async (): Promise<IdSet> => {
    const all = createIdSet();
    await passOver(lists, (_, lookedUp) => {
      visitIds(lookedUp, (id) => all.add(id));
      return 'next';
    });
    return all;
  };
  /** Returns those of some ids that a lockfile holds. The pass ends when all are found. */
  const usedAmong = async (wanted: IdSet): Promise<IdSet> => {
    const [list, used] = [wanted.toList(), createIdSet()];
    if (list.length === 0) return used;
    await passOver(lists, (_, lookedUp) => {
      for (const id of heldIds(lookedUp, list)) used.add(id);
      return used.size === list.length ? 'end' : 'next';
    });
    return used;
  };
  const heldAmong = async (identities: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = await packageIds.find(identities);
    const used = await usedAmong(createIdSet(found.values()));
    return new Set(identities.filter((identity) => used.has(found.get(identity) ?? -1)));
  };
  const remedy = 'Delete the field; the next refresh writes it.';
  const records = createHashValues(redis, REFRESH_RECORD, { key: keys.refreshes, remedy, onUnreadable });
  const lastRefresh: StoredFleet['lastRefresh'] = records.read;
  const affectedTargets: StoredFleet['affectedTargets'] = async ({ versions, advisories }) => {
    const named = await versionsNaming(
      facts.versions,
      advisories.map(({ key }) => key),
    );
    const found = await packageIds.find([...new Set([...versions.map(({ key }) => key), ...named.keys()])]);
    return await targetsHolding(redis, keys, lists, createIdSet(found.values()));
  };
  return {
    packageIds: async () => (await ids()).toList(),
    async youngPackageIds(since) {
      const young = await packageIds.find(await facts.versions.youngSince(since));
      return (await usedAmong(createIdSet(young.values()))).toList();
    },
    async listed(since) {
      const members = await listedSince(since);
      const packages = new Set(members.filter((member) => !member.startsWith(ADVISORY_MEMBER)));
      const advisories = members.flatMap((member) =>
        member.startsWith(ADVISORY_MEMBER) ? [member.slice(ADVISORY_MEMBER.length)] : [],
      );
      const found = createIdSet();
      if (packages.size > 0) {
        for await (const part of packageIds.scan(...memberTexts(packages)))
          for (const [id, identity] of part) if (packages.has(packageMember(identity))) found.add(id);
      }
      return { ids: (await usedAmong(found)).toList(), advisories };
    },
    async identities(list) {
      const found = await packageIds.identities(Array.from(list));
      return found.filter((identity) => identity !== undefined);
    },
    advisoryIds: async () => [
      ...new Set([...(await facts.advisories.keys()), ...(await advisoriesNamed(facts.versions))]),
    ],
    async pending(limit) {
      const [versions, advisories] = [facts.versions.pending(limit), facts.advisories.pending(limit)];
      return { versions: await versions, advisories: await advisories };
    },
    countPending: async () => (await facts.versions.countPending()) + (await facts.advisories.countPending()),
    affectedTargets,
    incompleteTargets: () => redis.smembers(keys.incompleteTargets),
    // The worker that judges them may have an earlier clock.
    async dueTargets(time) {
      const until = time - CLOCK_SKEW_MS;
      const limit = ['WITHSCORES', 'LIMIT', 0, MAX_DUE] as const;
      const found = await redis.zrangebyscore(keys.dueTargets, '-inf', until, ...limit);
      return chunks(found, 2).map(([target = '', dueAt]): DueTarget => ({ target, dueAt: Number(dueAt) }));
    },
    countDue: (time) => redis.zcount(keys.dueTargets, '-inf', time - CLOCK_SKEW_MS),
    allTargets: () => redis.hkeys(keys.targetSummaries),
    targetsWith: (wanted) => targetsWith(redis, keys, wanted, onUnreadable),
    openTargets: () => openTargets(redis, keys, onUnreadable),
    summary: summaryValues(redis, keys).find,
    inventory: inventories.read,
    namedLockfile: inventories.named,
    lastRefresh,
    async acceptLoss(by, at) {
      const last = await lastRefresh('all');
      if (last?.dataLoss === undefined) return undefined;
      const dataLoss = { ...last.dataLoss, accepted: { by, at } };
      const text = writeText(REFRESH_RECORD, { ...last, dataLoss });
      const stored = await runScript(redis, REPLACE_RECORD, [keys.refreshes], ['all', last.refresh, text]);
      return stored === 1 ? dataLoss : undefined;
    },
    judgedSettings: async () => (await redis.get(keys.judgedSettings)) ?? undefined,
    async judgedRouting() {
      const text = await redis.get(keys.judgedRouting);
      if (text === null) return undefined;
      const place = {
        key: keys.judgedRouting,
        remedy: 'Delete the key; the next worker with other settings writes it.',
      };
      return await readValue(ROUTING, text, place).catch(reportTo(onUnreadable));
    },
    judgedSuppressions: async () => (await redis.get(keys.judgedSuppressions)) ?? '0',
    freshness: createFreshness({
      facts,
      affectedTargets,
      packages: ids,
      targetsHolding: (packages) => targetsHolding(redis, keys, lists, packages),
      held: heldAmong,
      async named(advisories) {
        const naming = await versionsNaming(facts.versions, advisories);
        const held = await heldAmong([...naming.keys()]);
        return new Set([...naming].flatMap(([identity, own]) => (held.has(identity) ? own : [])));
      },
    }),
    async refreshInProgress(cadence) {
      const holder = await redis.get(keys.claim(`refresh-${cadence}`));
      if (holder === null) return undefined;
      // A job of a refresh that has ended runs again when Redis has lost its outcome, and claims the refresh again.
      return (await lastRefresh(cadence))?.refresh === holder ? undefined : holder;
    },
  };
}

/** Replaces the record of a refresh, unless another one has ended. Arguments: cadence, id of the refresh, record. */
const REPLACE_RECORD = defineScript(`
local now = redis.call('HGET', KEYS[1], ARGV[1])
if not now or not string.find(now, ARGV[2], 1, true) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`);

/** Lists between two looks at the time: each takes some microseconds, and its share of a look takes as long. */
const STRIDE = 32;

interface ListParts {
  readonly inventories: Inventories;
  readonly onUnreadable: OnUnreadable;
}

/**
 * Calls `visit` with the looked-up ids of each lockfile (`encodeIds`), by the key of its inventory, until it returns `end`. A damaged list
 * is reported, and `visitDamaged` is called with its key: the other lockfiles do not wait for it.
 */
async function passOver(
  { inventories, onUnreadable }: ListParts,
  visit: (hash: string, lookedUp: Buffer) => 'next' | 'end',
  visitDamaged: (hash: string) => void = () => {},
): Promise<void> {
  const yieldIfDue = createYielder();
  let passed = 0;
  for await (const lists of inventories.idLists()) {
    for (const [hash, encoded] of lists) {
      try {
        if (visit(hash, partsOf(encoded).lookedUp) === 'end') return;
      } catch (error) {
        onUnreadable(damagedIds(hash, error));
        visitDamaged(hash);
      }
      passed += 1;
      if (passed % STRIDE === 0) await yieldIfDue();
    }
  }
}

/** The targets with a lockfile that holds one of the package versions, and those with a lockfile whose list is damaged: it may hold one. */
async function targetsHolding(
  redis: RedisClient,
  keys: Keys,
  lists: ListParts,
  ids: IdSet,
): Promise<readonly string[]> {
  if (ids.size === 0) return [];
  const [holding, list] = [new Set<string>(), ids.toList()];
  const addHolder = (hash: string): void => {
    holding.add(hash);
  };
  await passOver(
    lists,
    (hash, lookedUp) => {
      if (heldIds(lookedUp, list).length > 0) addHolder(hash);
      return 'next';
    },
    addHolder,
  );
  if (holding.size === 0) return [];
  const targets = new Set<string>();
  const { parse } = summaryValues(redis, keys);
  for await (const part of scanParts(redis, 'HSCAN', keys.targetSummaries)) {
    for (const [target, stored] of part) {
      if (!mayHold(stored, holding)) continue;
      // One that cannot be read may hold them.
      const summary = await parse(target, stored).catch(reportTo(lists.onUnreadable));
      const isHolding = summary?.lockfiles.some(({ inventory = '' }) => holding.has(inventory)) ?? true;
      if (isHolding) targets.add(target);
    }
  }
  return [...targets];
}

/** The targets with open findings. A part of the list of targets is in memory. */
export async function* openTargets(
  redis: RedisClient,
  keys: Keys,
  onUnreadable: OnUnreadable,
): AsyncGenerator<TargetFindings> {
  const states = createTargetStore(redis, keys);
  for await (const part of createTargetSummaries(redis, keys).all(onUnreadable)) {
    const now = Date.now();
    const isWatched = ({ open, supportedUntil }: TargetSummary) =>
      Object.keys(open).length > 0 && isSupported(supportedUntil, now);
    const listed = new Map(part.filter(([, summary]) => isWatched(summary)));
    for await (const [id, { findings }] of states.each([...listed.keys()], onUnreadable)) {
      const { labels = {}, open = {} } = listed.get(id) ?? {};
      yield { target: { id, labels }, findings, open };
    }
  }
}

/** The targets with a wanted finding. One whose state cannot be read is reported, and is not among them. */
export async function targetsWith(
  redis: RedisClient,
  keys: Keys,
  { isAbout, mayBeIn, isWanted }: WantedFindings,
  onUnreadable: OnUnreadable,
): Promise<readonly string[]> {
  const states = createTargetStore(redis, keys);
  const found: string[] = [];
  for await (const part of createTargetSummaries(redis, keys).all(onUnreadable)) {
    const targets = part.map(([id, { labels }]) => ({ id, labels })).filter(isAbout);
    const labelsOf = new Map(targets.map(({ id, labels }) => [id, labels]));
    for await (const [id, { findings }] of states.each([...labelsOf.keys()], onUnreadable, mayBeIn)) {
      const target = { id, labels: labelsOf.get(id) ?? {} };
      if (findings.some(({ finding }) => isWanted(target, finding))) found.push(id);
    }
  }
  return found;
}
