import type { CompactLockfile } from '../model/fleet/compact-lockfile.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Outcome } from '../model/scan/outcome.ts';
import { inSlices } from '../model/yielding.ts';
import { decodeIds, encodeIds, type IdList } from './id-list.ts';
import { type IdentifiedPackage, isSpelledAs, packageOf } from './identity.ts';

/** The two lists of package ids of a lockfile, without repetition. */
export interface LockfileIds {
  readonly lookedUp: IdList;
  /** Packages that are not: private ones, and those that the index cannot have. */
  readonly excluded: IdList;
}

/** Outcomes of packages that are never looked up. */
const EXCLUDED: ReadonlySet<Outcome> = new Set(['unsupported', 'private']);

export function isExcluded({ resolution }: Pick<ResolvedPackage, 'resolution'>): boolean {
  return EXCLUDED.has(resolution.outcome);
}

/** `identities` and `own`: those of the packages, in their order, and the ids of these. */
export async function compactLockfile(
  { format, problems, packages }: Pick<ResolvedLockfile, 'format' | 'problems' | 'packages'>,
  identities: readonly string[],
  own: readonly number[],
): Promise<{ readonly ids: LockfileIds; readonly rest: CompactLockfile }> {
  const [lookedUp, excluded] = [new Set<number>(), new Set<number>()];
  for (const [at, one] of packages.entries()) (isExcluded(one) ? excluded : lookedUp).add(own[at] as number);
  const ids = { lookedUp: Uint32Array.from(lookedUp).sort(), excluded: Uint32Array.from(excluded).sort() };
  const columns = emptyColumns(ids, packages);
  for await (const slice of inSlices(packages)) {
    for (const locked of slice) {
      const at = columns.positions.length;
      addTo(columns, locked, own[at] as number, identities[at] as string);
    }
  }
  const { indexes: _indexes, places: _places, groupSets, last: _last, direct, ...rest } = columns;
  return { ids, rest: { format, problems, ...rest, direct: direct.join(''), groupSets: groupSets.lists } };
}

/** A package of a compact lockfile. */
export interface ExpandedPackage {
  readonly locked: LockedPackage;
  /** The outcome and its reason, when the package is not looked up. */
  readonly excluded?: readonly [outcome: Outcome, reason: string];
}

/** A lockfile as the fleet has it: without digests and sources of its packages. */
export type ExpandedLockfile = Pick<CompactLockfile, 'format' | 'problems'> & {
  readonly packages: readonly ExpandedPackage[];
};

/** A compact lockfile, and the identities of its packages. */
export interface NamedLockfile {
  readonly rest: CompactLockfile;
  readonly own: readonly string[];
}

/** The packages of a compact lockfile, or those of some positions, without digests and sources. */
export async function expandLockfile(
  { rest, own }: NamedLockfile,
  isWanted: (index: number) => boolean = () => true,
): Promise<readonly ExpandedPackage[]> {
  const idAt = idsIn(rest, own);
  const expanded: ExpandedPackage[] = [];
  let [index, line] = [-1, 0];
  for await (const slice of inSlices(own)) {
    for (const identity of slice) {
      index += 1;
      const step = rest.lines[index] ?? null;
      line += step ?? 0;
      if (!isWanted(index)) continue;
      const one = spelledPackage(rest, index, identity);
      const edges = rest.dependencies[index] ?? undefined;
      const at = index;
      const locked: LockedPackage = {
        id: idAt(index),
        ...one,
        direct: DIRECT[rest.direct[index] ?? '?'],
        groups: rest.groupSets[rest.groups[index] ?? -1] ?? [],
        integrity: [],
        source: { kind: 'registry' },
        line: step === null ? undefined : line,
        dependencies: edges?.map((edge) => (typeof edge === 'string' ? edge : idAt(at + edge))),
      };
      const reason = rest.excluded[index];
      expanded.push(reason === undefined ? { locked } : { locked, excluded: reason });
    }
  }
  return expanded;
}

/** A compact lockfile with the identities of its ids, the looked-up ones first. Throws `RangeError` for a package without an identity. */
export function namedLockfile(
  rest: CompactLockfile,
  identities: readonly (string | undefined)[],
): NamedLockfile {
  let position = 0;
  const own = rest.positions.map((step, index) => {
    position += step;
    const identity = identities[position];
    if (identity === undefined) throw new RangeError(`package ${index} has no identity`);
    return identity;
  });
  return { rest, own };
}

/** Returns the id of a package in its lockfile by its position. */
export function idsIn({ ids, spelled }: CompactLockfile, own: readonly string[]): (index: number) => string {
  return (index) => {
    const [name, version] = spelled[index] ?? [];
    if (ids[index] !== undefined) return ids[index];
    if (name !== undefined) return defaultId({ name, version: version ?? '' });
    const identity = own[index] ?? '';
    // The rest of an identity is `name@version`.
    return identity.slice(identity.indexOf(':') + 1);
  };
}

/** The package in the spelling of the file. */
function spelledPackage({ spelled }: CompactLockfile, index: number, identity: string): IdentifiedPackage {
  const own = packageOf(identity);
  const written = spelled[index];
  if (written === undefined) return own;
  const [name, version, purl] = written;
  return { ecosystem: own.ecosystem, name, version, purl };
}

/** The two lists in one value: the length of the first in bytes, then the lists. */
export function encodeLockfileIds({ lookedUp, excluded }: LockfileIds): Buffer {
  const first = encodeIds(lookedUp);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(first.length);
  return Buffer.concat([length, first, encodeIds(excluded)]);
}

/** Reads what `encodeLockfileIds` wrote. Throws `RangeError` when it is damaged. */
export function decodeLockfileIds(encoded: Buffer): LockfileIds {
  const { lookedUp, excluded } = partsOf(encoded);
  return { lookedUp: decodeIds(lookedUp), excluded: decodeIds(excluded) };
}

/** The encoded lists, for `visitIds`. */
export function partsOf(encoded: Buffer): { readonly lookedUp: Buffer; readonly excluded: Buffer } {
  const end = 4 + encoded.readUInt32LE(0);
  if (end > encoded.length) throw new RangeError('the ids of a lockfile are cut off');
  return { lookedUp: encoded.subarray(4, end), excluded: encoded.subarray(end) };
}

/** The codes of a column that says whether packages are direct dependencies. */
export const DIRECT: Readonly<Record<string, boolean | undefined>> = { 0: false, 1: true };

/** The columns of a compact lockfile, and what finds positions while they are filled. */
function emptyColumns({ lookedUp, excluded }: LockfileIds, packages: readonly ResolvedPackage[]) {
  return {
    /** Positions by the id of a package in its lockfile. */
    indexes: new Map(packages.map(({ id }, index) => [id, index])),
    /** Positions by the id of a package in the fleet: those that are looked up, and the others after them. */
    places: {
      lookedUp: new Map(Array.from(lookedUp, (id, index) => [id, index])),
      excluded: new Map(Array.from(excluded, (id, index) => [id, lookedUp.length + index])),
    },
    groupSets: new DistinctLists(),
    last: { position: 0, line: 0 },
    positions: [] as number[],
    direct: [] as string[],
    groups: [] as number[],
    lines: [] as (number | null)[],
    dependencies: [] as ((number | string)[] | null)[],
    ids: {} as Record<string, string>,
    spelled: {} as Record<string, readonly [string, string, string]>,
    excluded: {} as Record<string, readonly [Outcome, string]>,
  };
}

/** `id`, `identity`: of the package in the fleet. */
function addTo(
  columns: ReturnType<typeof emptyColumns>,
  locked: ResolvedPackage,
  id: number,
  identity: string,
): void {
  const { indexes, places, last } = columns;
  const { name, version, purl, line, direct, groups, dependencies, resolution } = locked;
  const index = columns.positions.length;
  const isOther = isExcluded(locked);
  const position = (isOther ? places.excluded : places.lookedUp).get(id) ?? 0;
  columns.positions.push(position - last.position);
  last.position = position;
  columns.direct.push(direct === undefined ? '?' : direct ? '1' : '0');
  columns.groups.push(columns.groupSets.placeOf(groups));
  columns.lines.push(line === undefined ? null : line - last.line);
  last.line = line ?? last.line;
  columns.dependencies.push(
    dependencies?.map((to) => {
      const other = indexes.get(to);
      return other === undefined ? to : other - index;
    }) ?? null,
  );
  if (locked.id !== defaultId(locked)) columns.ids[index] = locked.id;
  if (!isSpelledAs(identity, locked)) columns.spelled[index] = [name, version, purl];
  if (isOther) columns.excluded[index] = [resolution.outcome, resolution.reason ?? ''];
}

function defaultId({ name, version }: Pick<LockedPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Lists of texts without repetition, in the order in which they came first. */
class DistinctLists {
  readonly lists: (readonly string[])[] = [];
  readonly #places = new Map<string, number>();

  /** The position of the list in `lists`. */
  placeOf(list: readonly string[]): number {
    const [only = ''] = list;
    // Most have one text, which takes less time to write than JSON.
    const key = list.length < 2 ? `${list.length} ${only}` : JSON.stringify(list);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.lists.length);
    return this.lists.push(list) - 1;
  }
}
