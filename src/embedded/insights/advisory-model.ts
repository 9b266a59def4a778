import { affects, fixedVersions } from '../../advisories/affects.ts';
import type { Advisories } from '../../advisories/database.ts';
import { ADVISORIES_ONLY, UNCOVERED } from '../../model/api/extensions.ts';
import {
  canonicalVersion,
  type System,
  storedName,
  type VersionKey,
} from '../../model/lockfile/ecosystem.ts';
import { advisoryObject, type IndexModel } from './model.ts';
import { purlOf } from './names.ts';

/**
 * An index that knows advisories alone. Each version of a covered system exists as far as it knows, and has the advisories that affect it;
 * one that cannot be compared with a range is not covered. Of the versions of a package, it lists those that advisories name as fixed.
 * Everything else is not found.
 */
export function createAdvisoryModel(advisories: Advisories): IndexModel {
  const covered: ReadonlySet<System> = new Set(advisories.coverage().map(({ system }) => system));
  const idsOf = ({ system, name, version }: VersionKey): readonly string[] | undefined => {
    const ids: string[] = [];
    for (const { id, ...affected } of advisories.about(system, storedName(system, name))) {
      const isAffected = affects(affected, system, version);
      if (isAffected === undefined) return undefined;
      if (isAffected) ids.push(id);
    }
    return ids;
  };
  return {
    version(key) {
      const ids = covered.has(key.system) ? idsOf(key) : undefined;
      if (ids === undefined) return undefined;
      return JSON.stringify({
        versionKey: key,
        purl: purlOf(key),
        isDefault: false,
        isDeprecated: false,
        licenses: [],
        advisoryKeys: ids.map((id) => ({ id })),
        [ADVISORIES_ONLY]: true,
      });
    },
    covers: () => false,
    package(system, name) {
      if (!covered.has(system)) return undefined;
      const fixed = advisories.about(system, storedName(system, name)).flatMap(fixedVersions);
      return JSON.stringify({
        packageKey: { system, name },
        purl: purlOf({ system, name }),
        versions: [...new Set(fixed)].map((version) => ({
          versionKey: { system, name, version: canonicalVersion(version, name, system) },
        })),
        [UNCOVERED]: true,
      });
    },
    advisory(id) {
      const found = advisories.find(id);
      return found && JSON.stringify({ ...JSON.parse(advisoryObject(found)), [ADVISORIES_ONLY]: true });
    },
    find: () => undefined,
    indexedVersion: () => undefined,
    dependencies: () => undefined,
    dependents: () => undefined,
    capabilities: () => undefined,
    project: () => undefined,
    images: () => undefined,
    versionsByHash: () => [],
    versionsOfProject: () => [],
  };
}
