import { posix } from 'node:path';
import type { LockfileInput } from '../format.ts';
import { createInterpolation, type Interpolated } from './interpolation.ts';
import { findPom, lineageOf, type PlacedPom } from './lineage.ts';
import { isImport, type Pom, type PomDependency } from './pom.ts';

/** Dependency management that is imported from poms that came with the file. */
export interface Imports {
  /** With everything that its own pom can tell, the most telling first. */
  readonly managed: readonly PomDependency[];
  /** The entries whose poms were found. */
  readonly found: ReadonlySet<PomDependency>;
}

/** Follows imports, and what these import in turn. `seen`: paths of poms that were followed before. */
export function readImports(
  lineage: readonly PlacedPom[],
  input: LockfileInput,
  seen: Set<string> = new Set(),
): Imports {
  const interpolate = createInterpolation(lineage);
  const managed: PomDependency[] = [];
  const found = new Set<PomDependency>();
  for (const pom of lineage) {
    for (const one of pom.managed.filter(isImport)) {
      const [groupId, artifactId, version] = [one.groupId, one.artifactId, one.version].map(
        (text) => interpolate(text ?? '').text,
      );
      const wanted = { groupId: groupId ?? '', artifactId: artifactId ?? '', version: version ?? '' };
      const bom = findPom(wanted, importPlaces(pom), { folder: pom.folder, input });
      if (bom === undefined) continue;
      found.add(one);
      if (seen.has(bom.path)) continue;
      seen.add(bom.path);
      const own = lineageOf(bom.pom, input, posix.dirname(bom.path));
      for (const entry of [...ownManagement(own), ...readImports(own, input, seen).managed])
        managed.push(entry);
    }
  }
  return { managed, found };
}

/** What a pom and its ancestors manage, the last entry of the nearest first; entries that need more are left out. */
function ownManagement(lineage: readonly Pom[]): readonly PomDependency[] {
  const interpolate = createInterpolation(lineage);
  return lineage.flatMap(({ managed }) =>
    managed
      .filter((one) => !isImport(one))
      .flatMap((one) => resolved(one, interpolate))
      .toReversed(),
  );
}

function resolved(one: PomDependency, interpolate: (text: string) => Interpolated): readonly PomDependency[] {
  let isComplete = true;
  const told = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const { text: value, missing } = interpolate(text);
    if (missing !== undefined) isComplete = false;
    return value;
  };
  const dependency = {
    ...one,
    groupId: told(one.groupId),
    artifactId: told(one.artifactId),
    version: told(one.version),
    type: told(one.type),
    classifier: told(one.classifier),
    scope: told(one.scope),
  };
  return isComplete ? [dependency] : [];
}

/**
 * Where the poms that a pom imports may be, relative to it: among its modules, or in a folder of their name beside it or
 * below it. Those of other groups are in repositories.
 */
export function importPlaces(pom: Pom): readonly string[] {
  const groups = new Set([pom.groupId, pom.parent?.groupId]);
  const own = pom.managed.filter(
    (one) => isImport(one) && (groups.has(one.groupId) || one.groupId?.startsWith('${') === true),
  );
  if (own.length === 0) return [];
  const folders = own
    .map(({ artifactId = '' }) => artifactId)
    .filter((name) => /^[\w-][\w.-]*$/.test(name))
    .flatMap((name) => [`../${name}`, name]);
  const modules = pom.modules.map((path) => path.replaceAll('\\', '/')).filter((path) => path !== '');
  return [...new Set([...modules, ...folders])].map((path) =>
    /\.xml$/i.test(path) ? path : posix.join(path, 'pom.xml'),
  );
}
