import { publishedPackage } from '../../model/lockfile/published-package.ts';
import type { System } from '../../model/lockfile/version-key.ts';
import type { Insights } from '../../model/ports/insights.ts';
import type { Inventory } from '../../model/scan/inventory.ts';
import { inSlices } from '../../model/yielding.ts';
import { MIN_WITNESSES, witnessesOf } from './witnesses.ts';

/** So many versions without an advisory are worth a question. Fewer are usual. */
const MIN_VERSIONS = 20;

/**
 * The systems of which an index states no advisory: neither of the packages of a scan, which are many, nor of well-known versions that
 * have some. A run that knows nothing from before cannot see the loss in another way. An index without the well-known versions is not
 * doubted, and neither is one that fails to answer about them. `insights` must not have answers of earlier runs. Rejects when aborted.
 */
export async function silentSystems(
  inventory: Pick<Inventory, 'lockfiles'>,
  insights: Pick<Insights, 'resolve'>,
  signal: AbortSignal,
): Promise<readonly System[]> {
  const silent: System[] = [];
  for (const system of await systemsWithoutAdvisory(inventory)) {
    const witnesses = witnessesOf(system).filter(({ states }) => states.has('advisories'));
    const packages = witnesses.map(({ lookUp }) => publishedPackage(lookUp.versionKey));
    const { resolutions } = await insights.resolve(packages, { signal });
    const records = resolutions.flatMap(({ record }) => record ?? []);
    const isSilent = records.every(({ advisoryIds }) => advisoryIds.length === 0);
    if (isSilent && records.length >= MIN_WITNESSES) silent.push(system);
  }
  return silent;
}

async function systemsWithoutAdvisory({
  lockfiles,
}: Pick<Inventory, 'lockfiles'>): Promise<readonly System[]> {
  const versions = new Map<System, Set<string>>();
  const affected = new Set<System>();
  for (const { packages } of lockfiles) {
    for await (const slice of inSlices(packages)) {
      for (const { purl, resolution } of slice) {
        if (resolution.record === undefined) continue;
        const { advisoryIds, versionKey } = resolution.record;
        const { system } = versionKey;
        if (advisoryIds.length > 0) affected.add(system);
        else versions.set(system, (versions.get(system) ?? new Set<string>()).add(purl));
      }
    }
  }
  return [...versions].flatMap(([system, { size }]) =>
    size >= MIN_VERSIONS && !affected.has(system) ? system : [],
  );
}
