import type { VersionKey } from './ecosystem.ts';
import { purlTypeOf, writePurl } from './ecosystem.ts';
import type { LockedPackage } from './lockfile.ts';

/** A published version as a lockfile names it that gets it from the public registry. */
export function publishedPackage({ system, name, version }: VersionKey): LockedPackage {
  const ecosystem = purlTypeOf(system);
  return {
    id: `${name}@${version}`,
    ecosystem,
    name,
    version,
    purl: writePurl(ecosystem, name, version),
    direct: undefined,
    groups: [],
    integrity: [],
    source: { kind: 'registry' },
    line: undefined,
    dependencies: undefined,
  };
}
