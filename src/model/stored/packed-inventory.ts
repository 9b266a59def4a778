import { isObject, type JsonObject } from '../json-object.ts';
import type { Inventory, ResolvedPackage } from '../scan/inventory.ts';
import { mapInSlices } from '../yielding.ts';
import type { ExpandLockfile, PackedLockfile, StoredForm } from './kind.ts';
import { packResolutions, unpackResolutions } from './packed-resolutions.ts';

/**
 * An inventory as it is stored. A lockfile that is known in its compact form is stored in that, with the resolutions of its packages
 * in columns. In another one a package is a row of its fields without their names, which are most of its text; one with digests and
 * sources is stored as it is.
 */
export const PACKED_INVENTORY: StoredForm<Inventory> = {
  async pack(inventory, known) {
    const lockfiles: unknown[] = [];
    for (const { packages, ...file } of inventory.lockfiles) {
      const compact = packages.some(hasArtifacts) ? undefined : known?.get(file.path);
      lockfiles.push(
        compact === undefined
          ? { ...file, packages: await mapInSlices(packages, rowOf) }
          : { ...file, ...written(compact), resolutions: await packResolutions(packages) },
      );
    }
    return { ...inventory, lockfiles };
  },
  async unpack(stored, expand) {
    if (!isObject(stored) || !Array.isArray(stored['lockfiles'])) return stored;
    const lockfiles: unknown[] = [];
    for (const file of stored['lockfiles'] as readonly unknown[]) {
      lockfiles.push(isObject(file) ? await unpackLockfile(file, expand) : file);
    }
    return { ...stored, lockfiles };
  },
};

async function unpackLockfile(file: JsonObject, expand: ExpandLockfile): Promise<unknown> {
  const { ids, rest, resolutions, ...known } = file;
  const { packages } = known;
  if (Array.isArray(packages)) {
    const unpacked = (one: unknown) => (Array.isArray(one) ? packageOf(one) : one);
    return { ...known, packages: await mapInSlices(packages, unpacked) };
  }
  if (typeof ids !== 'string' || typeof rest !== 'string') return file;
  const compact = { ids: Buffer.from(ids, 'base64'), rest: Buffer.from(rest, 'base64') };
  return { ...known, packages: unpackResolutions(await expand(compact), resolutions) };
}

function written({ ids, rest }: PackedLockfile): { readonly ids: string; readonly rest: string } {
  const bytes = typeof rest === 'string' ? Buffer.from(rest) : rest;
  return { ids: ids.toString('base64'), rest: bytes.toString('base64') };
}

/** The compact form of a lockfile has no digests and sources. */
function hasArtifacts({ integrity, source, installScript }: ResolvedPackage): boolean {
  return integrity !== undefined || source !== undefined || installScript !== undefined;
}

/** `0` stands for an absent field, and for an id, name or version that follows from the fields before it. */
function rowOf(one: ResolvedPackage): unknown {
  if (hasArtifacts(one)) return one;
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
