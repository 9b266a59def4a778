import { publishedPackage, type System, systemOf } from '../../model/lockfile/ecosystem.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { Lacking } from '../../model/scan/gap.ts';
import type { Inventory, Resolution } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';
import { affectedVersions, MIN_WITNESSES } from './witnesses.ts';

/**
 * The facts that an index does not state of well-known versions, by system of the packages of a scan: a run that knows nothing from before
 * cannot see in another way that an index lost a part of its advisories or versions. Two versions are enough, because an index may have
 * corrected one, and for a run without a past (`hasPast`), which compares nothing, one witness. An index that has hardly any of these
 * versions is another index and not doubted, unless it has no package of the scan either, and neither is one that fails to answer about
 * them. `insights` must not have answers of earlier runs. Rejects when aborted.
 */
export async function lackingSystems(
  inventory: Pick<Inventory, 'lockfiles'>,
  insights: Pick<Insights, 'resolve'>,
  { signal, hasPast }: { readonly signal: AbortSignal; readonly hasPast: boolean },
): Promise<readonly Lacking[]> {
  const answered = await answeredSystems(inventory);
  const keys = [...answered.keys()].flatMap(affectedVersions);
  if (keys.length === 0) return [];
  const { resolutions } = await insights.resolve(keys.map(publishedPackage), { signal });
  const answers = keys.map(({ isWitness, ...key }, index) => ({
    ...key,
    isEnough: isWitness && !hasPast,
    resolution: resolutions[index],
  }));
  const bySystem = Map.groupBy(answers, ({ system }) => system);
  return [...bySystem].flatMap(([system, own]) => {
    const found = own.filter(({ resolution }) => resolution?.record !== undefined);
    if (found.length < MIN_WITNESSES) {
      const { resolved = 0, missing = 0 } = answered.get(system) ?? {};
      const isEmpty = resolved + found.length === 0 && missing >= MIN_MISSING;
      return isEmpty ? lacking(system, 'versions', own, ({ outcome }) => outcome === 'missing') : [];
    }
    return [
      ...lacking(system, 'versions', own, ({ outcome }) => outcome === 'missing'),
      ...lacking(system, 'advisories', found, ({ record }) => record?.advisoryIds.length === 0),
    ];
  });
}

interface Answered {
  readonly name: string;
  readonly version: string;
  /** Whether it proves a loss alone. */
  readonly isEnough: boolean;
  readonly resolution: Resolution | undefined;
}

function lacking(
  system: System,
  what: Lacking['what'],
  answers: readonly Answered[],
  isLost: (resolution: Resolution) => boolean,
): readonly Lacking[] {
  const lost = answers.filter(({ resolution }) => resolution !== undefined && isLost(resolution));
  if (lost.length < MIN_WITNESSES && !lost.some(({ isEnough }) => isEnough)) return [];
  return [{ system, what, versions: lost.map(({ name, version }) => `${name} ${version}`) }];
}

/** An index without any of so many packages is no other index, but an empty one. Fewer may be private. */
const MIN_MISSING = 5;

interface Counts {
  resolved: number;
  missing: number;
}

/** Counts the resolved and the missing packages of a scan by system. */
async function answeredSystems({
  lockfiles,
}: Pick<Inventory, 'lockfiles'>): Promise<ReadonlyMap<System, Counts>> {
  const systems = new Map<System, Counts>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { ecosystem, resolution } of slice) {
        const system = systemOf(ecosystem);
        const { outcome } = resolution;
        if (system === undefined || (outcome !== 'resolved' && outcome !== 'missing')) continue;
        const counts = systems.get(system) ?? { resolved: 0, missing: 0 };
        counts[outcome] += 1;
        systems.set(system, counts);
      }
    }
  }
  return systems;
}
