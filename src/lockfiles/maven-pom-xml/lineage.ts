import { posix } from 'node:path';
import type { LockfileInput } from '../format.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { textOf } from '../syntax/xml-document.ts';
import { type Coordinates, type Pom, readPom } from './pom.ts';

/** Projects have fewer ancestors. */
const MAX_GENERATIONS = 20;

/**
 * Returns a pom and its available ancestors, the nearest first. As in Maven, a file is the parent only when it has the
 * coordinates of the parent.
 */
export function lineageOf(pom: Pom, input: LockfileInput, from = ''): readonly PlacedPom[] {
  let folder = from;
  const lineage: PlacedPom[] = [{ ...pom, folder }];
  for (let youngest = pom; youngest.parent !== undefined && lineage.length < MAX_GENERATIONS; ) {
    const found = findPom(youngest.parent, placesOf(youngest.parent.relativePath), { folder, input });
    if (found === undefined) break;
    folder = posix.dirname(found.path);
    lineage.push({ ...found.pom, folder });
    youngest = found.pom;
  }
  return lineage;
}

/** A pom with its folder, relative to the first pom. */
export interface PlacedPom extends Pom {
  readonly folder: string;
}

interface Found {
  readonly pom: Pom;
  /** Relative to the first pom. */
  readonly path: string;
}

/** Finds the pom with these coordinates at one of the paths, which are relative to `folder`. */
export function findPom(
  wanted: Coordinates,
  places: readonly string[],
  { folder, input }: { readonly folder: string; readonly input: LockfileInput },
): Found | undefined {
  for (const place of places) {
    const path = posix.normalize(posix.join(folder, place));
    const pom = readCompanion(input, path, (text) => readPom(text, path));
    if (pom !== undefined && hasCoordinates(pom, wanted)) return { pom, path };
  }
  return undefined;
}

/**
 * Possible paths of the parent of a pom, relative to it: `relativePath`, and the same name in the folder of the pom, for
 * files that were collected without their folders.
 */
export function placesOf(relativePath: string): readonly string[] {
  // An empty path: the parent comes from a repository.
  if (relativePath === '') return [];
  const stated = relativePath.replaceAll('\\', '/');
  const path = /\.(?:xml|pom)$/i.test(stated) ? stated : posix.join(stated, 'pom.xml');
  const name = posix.basename(path);
  return path === name ? [path] : [path, name];
}

function hasCoordinates({ project, parent }: Pom, wanted: Coordinates): boolean {
  return (
    textOf(project, 'artifactId') === wanted.artifactId &&
    (textOf(project, 'groupId') ?? parent?.groupId) === wanted.groupId &&
    matchesVersion(textOf(project, 'version') ?? parent?.version ?? '', wanted.version)
  );
}

/** Versions with properties (`${revision}`) count as equal, because the properties can be set outside the poms. */
function matchesVersion(stated: string, wanted: string): boolean {
  return stated === wanted || stated.includes('${') || wanted.includes('${');
}

/** Number of modules whose poms are requested. Beyond it, modules become packages. */
const MAX_MODULES = 20;

/**
 * Possible paths of the pom of another module, relative to a pom: in a folder next to its own with the name of the artifact,
 * or that name without the prefix of the project (`netty-buffer` in `buffer`).
 */
export function modulePlaces(artifactId: string): readonly string[] {
  if (!/^[\w-][\w.-]*$/.test(artifactId)) return [];
  const end = artifactId.indexOf('-');
  const names = end < 0 ? [artifactId] : [artifactId, artifactId.slice(end + 1)];
  return names.filter((name) => name !== '').map((name) => `../${name}/pom.xml`);
}

/** Possible paths of the modules on which a pom depends: artifacts of its own group. */
export function placesOfModules({ groupId, parent, dependencies }: Pom): readonly string[] {
  const own = new Set([groupId, parent?.groupId]);
  const modules = dependencies
    .filter((one) => own.has(one.groupId) || one.groupId?.startsWith('${') === true)
    .flatMap(({ artifactId }) => artifactId ?? []);
  return [...new Set(modules)].slice(0, MAX_MODULES).flatMap(modulePlaces);
}
