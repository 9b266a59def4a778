import { isObject, type JsonObject } from '../json-object.ts';
import type { Inventory, ResolvedPackage } from '../scan/inventory.ts';
import { mapInSlices } from '../yielding.ts';
import type { StoredForm } from './kind.ts';

/**
 * An inventory as it is stored: a package is a row of its fields without their names, which are most of its text. A package with
 * digests and sources is stored as it is.
 */
export const PACKED_INVENTORY: StoredForm<Inventory> = {
  pack: (inventory) => withPackages(inventory, rowOf),
  unpack: (stored) => withPackages(stored, (one) => (Array.isArray(one) ? packageOf(one) : one)),
};

async function withPackages<Package>(
  inventory: unknown,
  convert: (one: Package) => unknown,
): Promise<unknown> {
  if (!isObject(inventory) || !Array.isArray(inventory['lockfiles'])) return inventory;
  const lockfiles: unknown[] = [];
  for (const lockfile of inventory['lockfiles'] as readonly unknown[]) {
    const packages = isObject(lockfile) ? lockfile['packages'] : undefined;
    if (!isObject(lockfile) || !Array.isArray(packages)) lockfiles.push(lockfile);
    else lockfiles.push({ ...lockfile, packages: await mapInSlices(packages as Package[], convert) });
  }
  return { ...inventory, lockfiles };
}

/** `0` stands for an absent field, and for an id, name or version that follows from the fields before it. */
function rowOf(one: ResolvedPackage): unknown {
  if (one.integrity !== undefined || one.source !== undefined || one.installScript !== undefined) return one;
  const { id, ecosystem, name, version, purl, direct = 0, groups, line = 0, dependencies = 0 } = one;
  const { outcome, reason = 0, seenBefore = 0, record } = one.resolution;
  const ownId = id === `${name}@${version}` ? 0 : id;
  // A literal takes a fraction of the memory of a list that grows.
  if (record === undefined) {
    // biome-ignore format: the fields of a package, then those of its resolution
    return [
      name, version, ownId, ecosystem, purl, direct, groups, line, dependencies,
      outcome, reason, seenBefore,
    ];
  }
  const { versionKey: key, publishedAt = 0, isDefault, isDeprecated, deprecatedReason = 0 } = record;
  const ownName = key.name === name ? 0 : key.name;
  const ownVersion = key.version === version ? 0 : key.version;
  // biome-ignore format: the same, then those of its record
  return [
    name, version, ownId, ecosystem, purl, direct, groups, line, dependencies,
    outcome, reason, seenBefore,
    key.system, ownName, ownVersion, publishedAt, isDefault, isDeprecated, deprecatedReason,
    record.licenses, record.advisoryIds,
  ];
}

function packageOf(row: readonly unknown[]): unknown {
  const [name, version, ownId, ecosystem, purl, direct, groups, line, dependencies, ...resolution] = row;
  const [outcome, reason, seenBefore, ...record] = resolution;
  const id = ownId === 0 ? `${name}@${version}` : ownId;
  return present({
    ...{ id, ecosystem, name, version, purl, direct, groups, line, dependencies },
    resolution: present({
      ...{ outcome, reason, seenBefore },
      record: record.length === 0 ? 0 : recordOf(record, name, version),
    }),
  });
}

function recordOf(row: readonly unknown[], name: unknown, version: unknown): unknown {
  const [system, ownName, ownVersion, publishedAt, isDefault, isDeprecated, deprecatedReason, ...lists] = row;
  const [licenses, advisoryIds] = lists;
  return present({
    versionKey: {
      system,
      name: ownName === 0 ? name : ownName,
      version: ownVersion === 0 ? version : ownVersion,
    },
    ...{ publishedAt, isDefault, isDeprecated, deprecatedReason, licenses, advisoryIds },
  });
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== 0));
}
