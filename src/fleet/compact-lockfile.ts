import type { CompactLockfile } from '../model/fleet/compact-lockfile.ts';
import type { LockedPackage } from '../model/lockfile/lockfile.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Outcome } from '../model/scan/outcome.ts';
import { inSlices } from '../model/yielding.ts';
import { decodeIds, encodeIds, type IdList } from './id-list.ts';
import { type IdentifiedPackage, isSpelledAs, packageOf } from './identity.ts';

/** The two lists of package ids of a lockfile, without repetition. */
export interface LockfileIds {
  /** Packages that are looked up. */
  readonly lookedUp: IdList;
  /** Packages that are not: private ones, and those that the index cannot have. */
  readonly excluded: IdList;
}

/** Outcomes of packages that are never looked up. */
const EXCLUDED: ReadonlySet<Outcome> = new Set(['unsupported', 'private']);

export function isExcluded({ resolution }: ResolvedPackage): boolean {
  return EXCLUDED.has(resolution.outcome);
}

/** `identities` and `own`: those of the packages, in their order, and the ids of these. */
export async function compactLockfile(
  lockfile: Pick<ResolvedLockfile, 'format' | 'problems' | 'packages'>,
  identities: readonly string[],
  own: readonly number[],
): Promise<{ readonly ids: LockfileIds; readonly rest: CompactLockfile }> {
  const [lookedUp, excluded] = [new Set<number>(), new Set<number>()];
  let at = 0;
  for (const locked of lockfile.packages) (isExcluded(locked) ? excluded : lookedUp).add(own[at++] as number);
  const ids = { lookedUp: Uint32Array.from(lookedUp).sort(), excluded: Uint32Array.from(excluded).sort() };
  const columns = new Columns(lockfile, ids);
  let index = 0;
  for await (const slice of inSlices(lockfile.packages)) {
    for (const locked of slice) {
      columns.add(locked, own[index] as number, identities[index] as string);
      index += 1;
    }
  }
  return { ids, rest: columns.rest() };
}

/** A package of a compact lockfile. */
export interface ExpandedPackage {
  readonly locked: LockedPackage;
  /** Present when it is not looked up. */
  readonly excluded?: readonly [outcome: Outcome, reason: string];
}

/** A lockfile as the fleet has it: without digests and sources of its packages. */
export type ExpandedLockfile = Pick<CompactLockfile, 'format' | 'problems'> & {
  readonly packages: readonly ExpandedPackage[];
};

/**
 * The packages of a compact lockfile without digests and sources. `identities`: those of its ids, the looked-up ones first. Throws
 * `RangeError` for a package without an identity.
 */
export async function expandLockfile(
  rest: CompactLockfile,
  identities: readonly (string | undefined)[],
): Promise<readonly ExpandedPackage[]> {
  const packages = identifiedPackages(rest, identities);
  const idAt = (index: number): string => rest.ids[index] ?? defaultId(packages[index] as IdentifiedPackage);
  const expanded: ExpandedPackage[] = [];
  let line = 0;
  for await (const slice of inSlices(packages)) {
    for (const one of slice) {
      const index = expanded.length;
      const step = rest.lines[index] ?? null;
      line += step ?? 0;
      const edges = rest.dependencies[index] ?? undefined;
      const locked: LockedPackage = {
        id: idAt(index),
        ...one,
        direct: DIRECT[rest.direct[index] ?? '?'],
        groups: rest.groupSets[rest.groups[index] ?? -1] ?? [],
        integrity: [],
        source: { kind: 'registry' },
        line: step === null ? undefined : line,
        dependencies: edges?.map((edge) => (typeof edge === 'string' ? edge : idAt(index + edge))),
      };
      const reason = rest.excluded[index];
      expanded.push(reason === undefined ? { locked } : { locked, excluded: reason });
    }
  }
  return expanded;
}

/** In the spelling of the file. */
function identifiedPackages(
  { positions, spelled }: CompactLockfile,
  identities: readonly (string | undefined)[],
): readonly IdentifiedPackage[] {
  let position = 0;
  return positions.map((step, index) => {
    position += step;
    const identity = identities[position];
    if (identity === undefined) throw new RangeError(`package ${index} has no identity`);
    const own = packageOf(identity);
    const written = spelled[index];
    if (written === undefined) return own;
    const [name, version, purl] = written;
    return { ecosystem: own.ecosystem, name, version, purl };
  });
}

/** Both lists in one value: the length of the first in bytes, then the lists. */
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

const DIRECT: Readonly<Record<string, boolean | undefined>> = { 0: false, 1: true };

/**
 * The columns of a compact lockfile, to which its packages are added in their order. A class, because V8 drops the optimised code of
 * functions that each lockfile creates.
 */
class Columns {
  readonly #rest: Omit<CompactLockfile, 'direct'> & {
    readonly positions: number[];
    readonly groups: number[];
    readonly lines: (number | null)[];
    readonly dependencies: ((number | string)[] | null)[];
    readonly ids: Record<string, string>;
    readonly spelled: Record<string, readonly [string, string, string]>;
    readonly excluded: Record<string, readonly [Outcome, string]>;
  };
  readonly #direct: string[] = [];
  /** By the id of a package in its lockfile. */
  readonly #indexes = new Map<string, number>();
  /** By the id of a package in the fleet: those that are looked up, and the others after them. */
  readonly #positions = new Map<number, number>();
  readonly #otherPositions = new Map<number, number>();
  readonly #groupSets = new DistinctLists();
  #lastPosition = 0;
  #lastLine = 0;

  constructor(
    { format, problems, packages }: Pick<ResolvedLockfile, 'format' | 'problems' | 'packages'>,
    { lookedUp, excluded }: LockfileIds,
  ) {
    let index = 0;
    for (const { id } of packages) this.#indexes.set(id, index++);
    let position = 0;
    for (const id of lookedUp) this.#positions.set(id, position++);
    for (const id of excluded) this.#otherPositions.set(id, position++);
    this.#rest = {
      format,
      problems,
      positions: [],
      groupSets: this.#groupSets.lists,
      groups: [],
      lines: [],
      dependencies: [],
      ids: {},
      spelled: {},
      excluded: {},
    };
  }

  /** `id`, `identity`: of the package in the fleet. */
  add(locked: ResolvedPackage, id: number, identity: string): void {
    const rest = this.#rest;
    const index = rest.positions.length;
    const isOther = isExcluded(locked);
    const position = (isOther ? this.#otherPositions : this.#positions).get(id) ?? 0;
    rest.positions.push(position - this.#lastPosition);
    this.#lastPosition = position;
    this.#direct.push(locked.direct === undefined ? '?' : locked.direct ? '1' : '0');
    rest.groups.push(this.#groupSets.placeOf(locked.groups));
    rest.lines.push(locked.line === undefined ? null : locked.line - this.#lastLine);
    this.#lastLine = locked.line ?? this.#lastLine;
    rest.dependencies.push(
      locked.dependencies === undefined ? null : this.#edges(locked.dependencies, index),
    );
    if (locked.id !== defaultId(locked)) rest.ids[index] = locked.id;
    const { name, version, purl, resolution } = locked;
    if (!isSpelledAs(identity, locked)) rest.spelled[index] = [name, version, purl];
    if (isOther) rest.excluded[index] = [resolution.outcome, resolution.reason ?? ''];
  }

  rest(): CompactLockfile {
    return { ...this.#rest, direct: this.#direct.join('') };
  }

  #edges(names: readonly string[], from: number): (number | string)[] {
    const edges = new Array<number | string>(names.length);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] as string;
      const to = this.#indexes.get(name);
      edges[at] = to === undefined ? name : to - from;
    }
    return edges;
  }
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
