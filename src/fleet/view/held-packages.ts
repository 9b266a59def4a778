import { distance } from 'fastest-levenshtein';
import { canonicalName, PURL_TYPES, systemOf } from '../../model/lockfile/ecosystem.ts';
import { chunks, createYielder } from '../../model/yielding.ts';
import { areNear } from '../../policy/signals/look-alike.ts';
import type { Inventories } from '../../store/fleet/inventories.ts';
import type { PackageIds } from '../../store/fleet/package-ids.ts';
import type { FleetSnapshot } from './fleet-snapshot.ts';
import { LOCKFILES } from './viewed-target.ts';

/** The packages of one shard in memory. */
export interface HeldPackages {
  /** The ids of the package versions with a name, by their identity. */
  find(query: NameQuery): Promise<ReadonlyMap<string, number>>;
  /** The answers of `find` for several names at one time, in order. */
  findEach(queries: readonly NameQuery[]): Promise<readonly ReadonlyMap<string, number>[]>;
  /** Some names that contain the text, or resemble it where none does, with their ecosystem. */
  similar(query: NameQuery): Promise<readonly string[]>;
  /** Some names that can be taken for the name. */
  near(query: NameQuery): Promise<readonly string[]>;
  /** The id lists of the lockfiles that targets of the shard have, by the key of their inventory, in parts. */
  idLists(fleet: FleetSnapshot): Promise<Iterable<IdLists>>;
}

/** Names that are suggested. */
const MAX_SIMILAR = 5;

/**
 * Holds the packages of a shard: a search reads only what is new since the one before, names by their ids, and id lists by the keys of
 * inventories. Takes some 50 MB for 100,000 package versions and 10,000 targets of 1,000 packages. `isOwn`: whether a target belongs to the
 * shard.
 */
export function holdPackages(
  { packageIds, inventories }: { readonly packageIds: PackageIds; readonly inventories: Inventories },
  isOwn: (target: string) => boolean,
): HeldPackages {
  const names = followNames(packageIds);
  return {
    find: async (query) => (await names()).find(query),
    findEach: async (queries) => queries.map((await names()).find),
    similar: async (query) => await (await names()).similar(query),
    near: async (query) => await (await names()).near(query),
    idLists: followLists(inventories, isOwn),
  };
}

/** Runs one call after the other: the next one has less to read. */
function inTurn<Args extends readonly unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = last.then(
      () => run(...args),
      () => run(...args),
    );
    last = next.catch(() => {});
    return next;
  };
}

/** All spellings of a name that an ecosystem may take as the same have one key. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** The names of a shard at one time. */
interface Names {
  find(query: NameQuery): ReadonlyMap<string, number>;
  similar(query: NameQuery): Promise<readonly string[]>;
  near(query: NameQuery): Promise<readonly string[]>;
}

function followNames(packageIds: PackageIds): () => Promise<Names> {
  let epoch = -1;
  let last = 0;
  /** A package version that was forgotten and came again is there twice; its last id counts. */
  let byKey = new Map<string, (readonly [identity: string, id: number])[]>();
  const search: Names = {
    find(query) {
      const found = new Map<string, number>();
      for (const [identity, id] of byKey.get(keyOf(query.name)) ?? []) {
        if (isNamed(identity, query)) found.set(identity, id);
      }
      return found;
    },
    similar: async (query) => {
      const wanted = keyOf(query.name);
      const found = await searchNames(byKey, query.ecosystem, (key) => key.includes(wanted), nameIn);
      if (found.length > 0) return found;
      const most = wanted.length < 4 ? 1 : 2;
      return await close(query, nameIn, (key) => distance(key, wanted) <= most);
    },
    near: async (query) =>
      await close(
        query,
        (identity) => partsOf(identity)[1],
        (key) => areNear(key, keyOf(query.name)),
      ),
  };
  const close = async (
    { name, ecosystem }: NameQuery,
    shown: (identity: string) => string,
    fits: (key: string) => boolean,
  ) => {
    const wanted = keyOf(name);
    const letters = lettersOf(wanted);
    // To compare texts takes a hundred times longer than to compare letters, and a caller may ask for hundreds of names.
    const isClose = (key: string) =>
      Math.abs(key.length - wanted.length) <= 2 && mayBeNear(letters ^ lettersOf(key)) && fits(key);
    return await searchNames(byKey, ecosystem, isClose, shown);
  };
  return inTurn(async () => {
    if (packageIds.epoch() !== epoch) {
      epoch = packageIds.epoch();
      last = 0;
      byKey = new Map();
    }
    const until = await packageIds.last();
    if (until === last) return search;
    const yieldIfDue = createYielder();
    for await (const part of packageIds.between(last, until)) {
      for (const [id, identity] of part) {
        const key = keyOf(partsOf(identity)[1]);
        const known = byKey.get(key);
        if (known === undefined) byKey.set(key, [[identity, id]]);
        else known.push([identity, id]);
      }
      await yieldIfDue();
    }
    last = until;
    return search;
  });
}

/** The letters of a key, one bit each, without separators. */
function lettersOf(key: string): number {
  let letters = 0;
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    if (code !== 0x2d) letters |= 1 << (code & 31);
  }
  return letters;
}

/** Whether two letters at most are replaced, as `areNear` permits, where these bits differ. */
function mayBeNear(differing: number): boolean {
  let count = 0;
  for (let rest = differing; rest !== 0; rest &= rest - 1) count += 1;
  return count <= 4;
}

async function searchNames(
  byKey: ReadonlyMap<string, readonly (readonly [identity: string, id: number])[]>,
  ecosystem: string | undefined,
  fits: (key: string) => boolean,
  shown: (identity: string) => string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const yieldIfDue = createYielder();
  for (const [key, identities] of byKey) {
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
    if (!fits(key)) continue;
    for (const [identity] of identities) {
      const [, own] = partsOf(identity);
      if (isNamed(identity, { name: own, ecosystem })) found.add(shown(identity));
    }
    if (found.size >= MAX_SIMILAR) break;
  }
  return [...found].sort().slice(0, MAX_SIMILAR);
}

/** Id lists that are read and passed over together. */
const PART = 500;

type IdLists = ReadonlyMap<string, Buffer>;

/** The id lists of the lockfiles of a fleet. A list never changes: its key is the hash of its content. */
function followLists(
  inventories: Inventories,
  isOwn: (target: string) => boolean,
): (fleet: FleetSnapshot) => Promise<Iterable<IdLists>> {
  let last: FleetSnapshot | undefined;
  let parts: readonly IdLists[] = [];
  return inTurn(async (fleet) => {
    if (fleet !== last) {
      const hashes = hashesOf(fleet, isOwn);
      const held = parts.flatMap((part) => [...part]);
      const kept = new Map(held.filter(([hash]) => hashes.has(hash)));
      const absent = [...hashes].filter((hash) => !kept.has(hash));
      // One pass over all takes some hundred commands; single lists take up to one each.
      const read = absent.length > PART ? inventories.idLists() : listsOf(inventories, absent);
      for await (const lists of read) {
        for (const [hash, list] of lists) if (hashes.has(hash)) kept.set(hash, list);
      }
      parts = chunks([...kept], PART).map((part) => new Map(part));
      last = fleet;
    }
    return parts;
  });
}

async function* listsOf(inventories: Inventories, hashes: readonly string[]): AsyncGenerator<IdLists> {
  yield await inventories.idListsOf(hashes);
}

function hashesOf({ targets }: FleetSnapshot, isOwn: (target: string) => boolean): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const target of targets.values()) {
    if (!isOwn(target.target)) continue;
    for (const { inventory } of target[LOCKFILES] ?? []) if (inventory !== undefined) hashes.add(inventory);
  }
  return hashes;
}

/** A search for packages by name. */
export interface NameQuery {
  /** In any spelling that the ecosystem allows. */
  readonly name: string;
  /** A purl type. Default: any. */
  readonly ecosystem?: string | undefined;
}

/** `name (ecosystem)`. */
export function nameIn(identity: string): string {
  const [prefix, name] = partsOf(identity);
  const ecosystem = PURL_TYPES.find((type) => systemOf(type) === prefix) ?? prefix;
  return `${name} (${ecosystem})`;
}

/** The ecosystem or system of an identity, and the name. */
export function partsOf(identity: string): readonly [prefix: string, name: string] {
  const colon = identity.indexOf(':');
  return [identity.slice(0, colon), identity.slice(colon + 1, identity.lastIndexOf('@'))];
}

/** Whether an identity has the name, in a spelling that its ecosystem takes as the same. */
export function isNamed(identity: string, { name, ecosystem }: NameQuery): boolean {
  const [prefix, own] = partsOf(identity);
  if (ecosystem !== undefined && prefix !== (systemOf(ecosystem) ?? ecosystem)) return false;
  switch (prefix) {
    case 'PYPI':
      return own === canonicalName(name, 'PYPI');
    case 'NPM':
    case 'RUBYGEMS':
    case 'MAVEN':
      return own === name;
    case 'CARGO':
      return own.replaceAll('_', '-') === name.replaceAll('_', '-');
    default:
      // Names of NuGet packages are the same in both cases; purls of Go modules and others are in lower case.
      return own.toLowerCase() === name.toLowerCase();
  }
}
