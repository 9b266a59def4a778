import type { CompactLockfile } from '../model/fleet/compact-lockfile.ts';
import type { LockedPackage, Problem } from '../model/lockfile/lockfile.ts';
import type { ResolvedLockfile, ResolvedPackage } from '../model/scan/inventory.ts';
import type { Outcome } from '../model/scan/outcome.ts';
import { inSlices } from '../model/yielding.ts';
import { decodeIds, encodeIds, type IdList } from './id-list.ts';
import { type IdentifiedPackage, packageOf } from './identity.ts';

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
  { format, problems, packages }: Pick<ResolvedLockfile, 'format' | 'problems' | 'packages'>,
  identities: readonly string[],
  own: readonly number[],
): Promise<{ readonly ids: LockfileIds; readonly rest: CompactLockfile }> {
  const [lookedUp, excluded] = [new Set<number>(), new Set<number>()];
  for (const [index, locked] of packages.entries()) {
    (isExcluded(locked) ? excluded : lookedUp).add(own[index] as number);
  }
  const ids = { lookedUp: Uint32Array.from(lookedUp).sort(), excluded: Uint32Array.from(excluded).sort() };
  const columns = createColumns(format, problems, positionsOf(ids), packages);
  let index = 0;
  for await (const slice of inSlices(packages)) {
    for (const locked of slice) {
      columns.add(locked, own[index] as number, identities[index] as string);
      index += 1;
    }
  }
  return { ids, rest: columns.rest };
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

function positionsOf({ lookedUp, excluded }: LockfileIds) {
  const first = new Map(Array.from(lookedUp, (id, position) => [id, position]));
  const second = new Map(Array.from(excluded, (id, position) => [id, lookedUp.length + position]));
  return (id: number, isOther: boolean): number => (isOther ? second : first).get(id) ?? 0;
}

function createColumns(
  format: string,
  problems: readonly Problem[],
  positionOf: (id: number, isOther: boolean) => number,
  packages: readonly ResolvedPackage[],
) {
  const indexes = new Map(packages.map(({ id }, index) => [id, index]));
  const groupIndexes = new Map<string, number>();
  const direct: string[] = [];
  const rest = {
    format,
    problems,
    positions: [] as number[],
    groupSets: [] as (readonly string[])[],
    groups: [] as number[],
    lines: [] as (number | null)[],
    dependencies: [] as ((number | string)[] | null)[],
    ids: {} as Record<string, string>,
    spelled: {} as Record<string, readonly [string, string, string]>,
    excluded: {} as Record<string, readonly [Outcome, string]>,
    get direct() {
      return direct.join('');
    },
  };
  const groupSet = (groups: readonly string[]): number => {
    const [only = ''] = groups;
    const name = groups.length < 2 ? `${groups.length} ${only}` : JSON.stringify(groups);
    const known = groupIndexes.get(name);
    if (known !== undefined) return known;
    groupIndexes.set(name, rest.groupSets.length);
    return rest.groupSets.push(groups) - 1;
  };
  let [lastPosition, lastLine] = [0, 0];
  return {
    rest,
    add(locked: ResolvedPackage, id: number, identity: string): void {
      const index = rest.positions.length;
      const isOther = isExcluded(locked);
      const position = positionOf(id, isOther);
      rest.positions.push(position - lastPosition);
      lastPosition = position;
      direct.push(locked.direct === undefined ? '?' : locked.direct ? '1' : '0');
      rest.groups.push(groupSet(locked.groups));
      rest.lines.push(locked.line === undefined ? null : locked.line - lastLine);
      lastLine = locked.line ?? lastLine;
      const edges = locked.dependencies?.map((name) => {
        const to = indexes.get(name);
        return to === undefined ? name : to - index;
      });
      rest.dependencies.push(edges ?? null);
      if (locked.id !== defaultId(locked)) rest.ids[index] = locked.id;
      const { name, version, purl, resolution } = locked;
      const known = packageOf(identity);
      if (name !== known.name || version !== known.version || purl !== known.purl) {
        rest.spelled[index] = [name, version, purl];
      }
      if (isOther) rest.excluded[index] = [resolution.outcome, resolution.reason ?? ''];
    },
  };
}

function defaultId({ name, version }: Pick<LockedPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}
