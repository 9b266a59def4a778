import { DistinctLists } from '../distinct-lists.ts';
import { systemOf } from '../lockfile/ecosystem.ts';
import type { LockedPackage } from '../lockfile/lockfile.ts';
import type { ResolvedPackage } from '../scan/inventory.ts';
import { inSlices } from '../yielding.ts';

/** The resolutions of the packages of a lockfile in columns, which are a fraction of their text. Positions are those of packages. */
interface PackedResolutions {
  readonly outcomes: readonly string[];
  /** The position in `outcomes` of the outcome of each package. */
  readonly outcome: readonly number[];
  /** One character for each package: `-` without a record, else 1 for a default version plus 2 for a deprecated one. */
  readonly flags: string;
  /** The time for each record; 0 stands for an absent one. */
  readonly publishedAt: readonly (string | 0)[];
  readonly licenseLists: readonly (readonly string[])[];
  /** The position in `licenseLists` of the licenses of each record. */
  readonly licenses: readonly number[];
  /** Advisories of the packages that have some. */
  readonly advisories: readonly (readonly [position: number, ids: readonly string[]])[];
  /** Version keys that differ from what the package states. */
  readonly keys: readonly (readonly [position: number, system: string, name: string, version: string])[];
  readonly reasons: readonly (readonly [position: number, reason: string])[];
  readonly seenBefore: readonly (readonly [position: number, isSeen: boolean])[];
  readonly deprecations: readonly (readonly [position: number, reason: string])[];
}

/** Packs the resolutions of packages, in their order. */
export async function packResolutions(packages: readonly ResolvedPackage[]): Promise<PackedResolutions> {
  const columns = new ResolutionColumns();
  for await (const slice of inSlices(packages)) for (const one of slice) columns.add(one);
  return columns.packed();
}

/** Returns the packages with their resolutions; `undefined` for a value that is not of this form. */
export function unpackResolutions(
  packages: readonly LockedPackage[],
  stored: unknown,
): readonly unknown[] | undefined {
  const packed = stored as PackedResolutions;
  if (!isPacked(stored, packages.length)) return undefined;
  const [advisories, keys] = [byPosition(packed.advisories), byPosition(packed.keys)];
  const [reasons, seenBefore] = [byPosition(packed.reasons), byPosition(packed.seenBefore)];
  const deprecations = byPosition(packed.deprecations);
  let next = 0;
  return packages.map((locked, position) => {
    const { id, ecosystem, name, version, purl, direct, groups, line, dependencies } = locked;
    const flags = packed.flags[position];
    const [reason, seen] = [reasons.get(position), seenBefore.get(position)];
    const resolution = {
      outcome: packed.outcomes[packed.outcome[position] ?? -1],
      ...(reason === undefined ? {} : { reason: reason[1] }),
      ...(seen === undefined ? {} : { seenBefore: seen[1] }),
    };
    const own = { id, ecosystem, name, version, purl, direct, groups, line, dependencies };
    if (flags === '-') return { ...own, resolution };
    const [, system = systemOf(ecosystem), ownName = name, ownVersion = version] = keys.get(position) ?? [];
    const publishedAt = packed.publishedAt[next];
    const deprecation = deprecations.get(position);
    const record = {
      versionKey: { system, name: ownName, version: ownVersion },
      ...(publishedAt === 0 ? {} : { publishedAt }),
      isDefault: flags === '1' || flags === '3',
      isDeprecated: flags === '2' || flags === '3',
      ...(deprecation === undefined ? {} : { deprecatedReason: deprecation[1] }),
      licenses: packed.licenseLists[packed.licenses[next] ?? -1],
      advisoryIds: advisories.get(position)?.[1] ?? [],
    };
    next += 1;
    return { ...own, resolution: { ...resolution, record } };
  });
}

/** A class, because V8 drops the optimised code of functions that each scan creates. */
class ResolutionColumns {
  readonly #outcomes: string[] = [];
  readonly #outcome: number[] = [];
  readonly #flags: string[] = [];
  readonly #publishedAt: (string | 0)[] = [];
  readonly #licenseLists = new DistinctLists();
  readonly #licenses: number[] = [];
  readonly #advisories: [number, readonly string[]][] = [];
  readonly #keys: [number, string, string, string][] = [];
  readonly #reasons: [number, string][] = [];
  readonly #seenBefore: [number, boolean][] = [];
  readonly #deprecations: [number, string][] = [];

  add({ ecosystem, name, version, resolution }: ResolvedPackage): void {
    const position = this.#outcome.length;
    const { outcome, reason, seenBefore, record } = resolution;
    const known = this.#outcomes.indexOf(outcome);
    this.#outcome.push(known < 0 ? this.#outcomes.push(outcome) - 1 : known);
    if (reason !== undefined) this.#reasons.push([position, reason]);
    if (seenBefore !== undefined) this.#seenBefore.push([position, seenBefore]);
    this.#flags.push(
      record === undefined ? '-' : String((record.isDefault ? 1 : 0) + (record.isDeprecated ? 2 : 0)),
    );
    if (record === undefined) return;
    const { versionKey: key, licenses, advisoryIds, deprecatedReason } = record;
    this.#publishedAt.push(record.publishedAt ?? 0);
    this.#licenses.push(this.#licenseLists.placeOf(licenses));
    if (advisoryIds.length > 0) this.#advisories.push([position, advisoryIds]);
    if (deprecatedReason !== undefined) this.#deprecations.push([position, deprecatedReason]);
    if (key.name !== name || key.version !== version || key.system !== systemOf(ecosystem)) {
      this.#keys.push([position, key.system, key.name, key.version]);
    }
  }

  packed(): PackedResolutions {
    return {
      outcomes: this.#outcomes,
      outcome: this.#outcome,
      flags: this.#flags.join(''),
      publishedAt: this.#publishedAt,
      licenseLists: this.#licenseLists.lists,
      licenses: this.#licenses,
      advisories: this.#advisories,
      keys: this.#keys,
      reasons: this.#reasons,
      seenBefore: this.#seenBefore,
      deprecations: this.#deprecations,
    };
  }
}

const LISTS = ['outcomes', 'outcome', 'publishedAt', 'licenseLists', 'licenses'];
const ROWS = ['advisories', 'keys', 'reasons', 'seenBefore', 'deprecations'];

/** Whether all columns are there. What they hold is checked with the packages. */
function isPacked(stored: unknown, packages: number): boolean {
  const columns = stored as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof columns?.['flags'] !== 'string' || columns['flags'].length !== packages) return false;
  const isList = (name: string) => Array.isArray(columns[name]);
  const hasRows = (name: string) =>
    isList(name) && (columns[name] as readonly unknown[]).every(Array.isArray);
  return LISTS.every(isList) && ROWS.every(hasRows);
}

function byPosition<Row extends readonly [number, ...unknown[]]>(
  rows: readonly Row[],
): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row[0], row]));
}
