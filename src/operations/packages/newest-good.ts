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
 * `undefined` for a package that may not be asked for. The newest versions of all packages are looked up together.
 */
export async function newestGood(
  names: readonly (PackageName | undefined)[],
  parts: Parts,
): Promise<readonly (NewestGood | undefined)[]> {
  const { facts, cooldown, now } = parts;
  const opened = await Promise.all(
    names.map(async (name) => {
      const list = name && (await facts.versions(name).catch(messageOf));
      if (name === undefined || typeof list !== 'object') return { list };
      const { ordered: all } = readList(name, list);
      const listed = all.slice(0, MAX_CANDIDATES);
      const first = listed.findIndex((one) => waitsUntil('', one, cooldown, now) === undefined);
      return { list, isLong: all.length > MAX_CANDIDATES, usable: first < 0 ? [] : listed.slice(first) };
    }),
  );
  const newest = opened.flatMap(({ usable: [first] = [] }, index) =>
    first === undefined ? [] : { ...(names[index] as PackageName), version: first.version },
  );
  // The search for a package asks again for what fails here.
  await facts.records(newest).catch(() => {});
  return await Promise.all(
    names.map(async (name, index): Promise<NewestGood | undefined> => {
      const { list, usable = [], isLong } = opened[index] ?? {};
      if (name === undefined || list === undefined) return name && 'unlisted';
      if (typeof list === 'string') return { unknown: list };
      const { found, unknown } = await search(name, usable, list, parts);
      const others =
        found === undefined && isLong ? `none of the newest ${MAX_CANDIDATES} is good` : undefined;
      return { found, unknown: unknown ?? others, firstAt: readList(name, list).firstAt };
    }),
  );
}

async function search(
  name: PackageName,
  usable: readonly PublishedVersion[],
  { isPartial }: PublishedVersions,
  { facts, cooldown, now }: Parts,
): Promise<Exclude<NewestGood, 'unlisted'>> {
  let unknown = isPartial === true ? 'the list of its versions is partial' : undefined;
  // Most often the newest one is good.
  for (const some of [usable.slice(0, 1), usable.slice(1)]) {
    const part = some.filter((one) => waitsUntil('', one, cooldown, now) === undefined);
    try {
      const records = await facts.records(part.map(({ version }) => ({ ...name, version })));
      for (const [index, one] of part.entries()) {
        const proof = proofOf(name.name, one.version, records[index]);
        const isDated = one.publishedAt !== undefined || cooldown.minutes === 0;
        if (proof.state === 'good' && isDated) return { found: one, unknown };
        if (proof.state === 'unknown') unknown ??= proof.reason;
        else if (proof.state === 'good') unknown ??= `when ${one.version} was published`;
      }
    } catch (error) {
      return { unknown: messageOf(error) };
    }
  }
  return { unknown };
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
