import { proofOf, waitsUntil } from '../../advice/candidates.ts';
import type { AdviceFacts } from '../../advice/facts.ts';
import type { StatedCooldown } from '../../model/advice/project-statement.ts';
import { messageOf } from '../../model/errors.ts';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { PublishedVersion } from '../../model/ports/insights.ts';
import type { PublishedVersions } from '../../model/scan/inventory.ts';
import { schemeOf } from '../../versions/scheme.ts';

/**
 * The newest version that is known to be good. `unknown`: why a newer one may be good, or any. `firstAt`: when the first version was published, in
 * ms since 1970; NaN or absent where that is not known. `unlisted`: the index has no such package.
 */
export type NewestGood =
  | {
      readonly found?: PublishedVersion | undefined;
      readonly unknown?: string | undefined;
      readonly firstAt?: number | undefined;
    }
  | 'unlisted';

type PackageName = Omit<VersionKey, 'version'>;

interface Parts {
  readonly facts: AdviceFacts;
  readonly cooldown: StatedCooldown;
  /** ms since 1970. */
  readonly now: number;
}

/** Versions of a package that may be looked up. */
const MAX_CANDIDATES = 61;

/**
 * The newest version past the cooldown that is good, of each package in order: no pre-release, not deprecated and without advisories.
 * `undefined` for a package that may not be asked for. The versions of all packages are looked up together.
 */
export async function newestGood(
  names: readonly (PackageName | undefined)[],
  parts: Parts,
): Promise<readonly (NewestGood | undefined)[]> {
  const { facts, cooldown, now } = parts;
  const all = await Promise.all(
    names.map(async (name): Promise<NewestGood | Opened | undefined> => {
      const list = name && (await facts.versions(name).catch(messageOf));
      if (name === undefined || list === undefined) return name && 'unlisted';
      if (typeof list === 'string') return { unknown: list };
      const { ordered, firstAt } = readList(name, list);
      const listed = ordered.slice(0, MAX_CANDIDATES);
      const first = listed.findIndex((one) => waitsUntil('', one, cooldown, now) === undefined);
      const usable = first < 0 ? [] : listed.slice(first);
      const isLong = ordered.length > MAX_CANDIDATES;
      const unknown = list.isPartial === true ? 'the list of its versions is partial' : undefined;
      return { name, usable, isLong, firstAt, unknown, found: undefined, hasFailed: false };
    }),
  );
  const opened = all.filter((one): one is Opened => typeof one === 'object' && 'usable' in one);
  // Most often the newest one is good.
  for (const [from, to] of [[0, 1] as const, [1] as const]) {
    const open = opened
      .filter(({ found, hasFailed }) => found === undefined && !hasFailed)
      .map((one) => {
        const some = one.usable.slice(from, to);
        return { one, some: some.filter((each) => waitsUntil('', each, cooldown, now) === undefined) };
      });
    const keys = open.flatMap(({ one, some }) => some.map(({ version }) => ({ ...one.name, version })));
    // The search for a package asks again for what fails here.
    await facts.records(keys).catch(() => {});
    await Promise.all(open.map(({ one, some }) => search(one, some, parts)));
  }
  for (const one of opened)
    if (one.found === undefined && one.isLong) one.unknown ??= `none of the newest ${MAX_CANDIDATES} is good`;
  return all;
}

/** A package whose newest good version is searched for. */
interface Opened {
  readonly name: PackageName;
  readonly usable: readonly PublishedVersion[];
  readonly isLong: boolean;
  readonly firstAt: number;
  found: PublishedVersion | undefined;
  unknown: string | undefined;
  hasFailed: boolean;
}

/** Looks for a good one among some of the usable versions of a package. */
async function search(
  one: Opened,
  some: readonly PublishedVersion[],
  { facts, cooldown }: Parts,
): Promise<void> {
  const { name } = one;
  try {
    const records = await facts.records(some.map(({ version }) => ({ ...name, version })));
    for (const [index, version] of some.entries()) {
      const proof = proofOf(name.name, version.version, records[index]);
      const isDated = version.publishedAt !== undefined || cooldown.minutes === 0;
      if (proof.state === 'good' && isDated) {
        one.found = version;
        return;
      }
      if (proof.state === 'unknown') one.unknown ??= proof.reason;
      else if (proof.state === 'good') one.unknown ??= `when ${version.version} was published`;
    }
  } catch (error) {
    one.unknown = messageOf(error);
    one.hasFailed = true;
  }
}

type ReadList = { readonly ordered: readonly PublishedVersion[]; readonly firstAt: number };

/** By list: sorting the versions of a package takes longer than to judge it. */
const lists = new WeakMap<PublishedVersions, ReadList>();

/** The versions that may be good, the newest first, and when the first of all was published; NaN where that is not known. */
function readList({ system }: PackageName, list: PublishedVersions): ReadList {
  const { isValid, isPrerelease, compare } = schemeOf(system);
  const read = lists.get(list) ?? {
    ordered: list.versions
      .filter(({ version, isDeprecated }) => !isDeprecated && isValid(version) && !isPrerelease(version))
      .sort((left, right) => compare(right.version, left.version)),
    firstAt: list.versions.reduce(
      (least, { publishedAt = '' }) => Math.min(least, Date.parse(publishedAt)),
      list.isPartial === true || list.versions.length === 0 ? Number.NaN : Number.POSITIVE_INFINITY,
    ),
  };
  lists.set(list, read);
  return read;
}
