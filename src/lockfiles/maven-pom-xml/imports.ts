import { posix } from 'node:path';
import type { LockfileInput } from '../format.ts';
import { createInterpolation, type Interpolated } from './interpolation.ts';
import { findPom, lineageOf, type PlacedPom } from './lineage.ts';
import { isImport, type Pom, type PomDependency } from './pom.ts';

/**
 * Reads imports recursively. `seen`: paths of poms that were read before. `managed`: interpolated, in the order of precedence. `found`:
 * the imports whose poms are available.
 */
export function readImports(
  lineage: readonly PlacedPom[],
  input: LockfileInput,
  seen: Set<string> = new Set(),
) {
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

/** Dependency management of a pom and its ancestors, in the order of precedence, without entries with unknown properties. */
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
  const interpolated = (text: string | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const { text: value, missing } = interpolate(text);
    if (missing !== undefined) isComplete = false;
    return value;
  };
  const dependency = {
    ...one,
    groupId: interpolated(one.groupId),
    artifactId: interpolated(one.artifactId),
    version: interpolated(one.version),
    type: interpolated(one.type),
    classifier: interpolated(one.classifier),
    scope: interpolated(one.scope),
  };
  return isComplete ? [dependency] : [];
}

/**
 * Possible paths of the imported poms, relative to the pom: its modules, and folders with the name of the artifact next to
 * it or in it. Poms of other groups come from repositories.
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

/** A pom that may contain versions and is not available. */
export interface AbsentPom {
  /** Its relation to the file and its coordinates, for messages. */
  readonly what: string;
  readonly line: number;
}

/** The parent and the imported poms that are not available. */
export function absentPoms(
  lineage: readonly Pom[],
  interpolate: (text: string) => Interpolated,
  found: ReadonlySet<PomDependency>,
): readonly AbsentPom[] {
  const parentLine = lineage[0]?.parent?.line ?? 1;
  const shown = (parts: readonly (string | undefined)[]) =>
    JSON.stringify(
      parts
        .map((part) => interpolate(part ?? '').text)
        .join(':')
        .slice(0, 200),
    );
  const parent = lineage.at(-1)?.parent;
  const parents = parent === undefined ? [] : [shown([parent.groupId, parent.artifactId, parent.version])];
  const ancestor = parents.map((coordinates) => ({ what: `the parent ${coordinates}`, line: parentLine }));
  const imported = lineage.flatMap((pom, generation) =>
    pom.managed
      .filter((one) => isImport(one) && !found.has(one))
      .map(({ groupId, artifactId, version, line }) => ({
        what: `the imported ${shown([groupId, artifactId, version])}`,
        line: generation === 0 ? line : parentLine,
      })),
  );
  return [...ancestor, ...imported];
}
