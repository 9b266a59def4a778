import { posix } from 'node:path';
import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { decodeText } from '../syntax/decode-text.ts';
import { textOf } from '../syntax/xml-document.ts';
import { type Coordinates, type ParentReference, type Pom, readPom } from './pom.ts';

/** Nobody inherits from further away. */
const MAX_GENERATIONS = 20;

/**
 * A pom and those that it inherits from, the nearest first, as far as they were given with it. Like Maven, takes a file
 * for the parent only when it has the parent's coordinates. A parent that is not given is no error.
 */
export function lineageOf(pom: Pom, input: LockfileInput, from = ''): readonly PlacedPom[] {
  let folder = from;
  const lineage: PlacedPom[] = [{ ...pom, folder }];
  for (let youngest = pom; youngest.parent !== undefined && lineage.length < MAX_GENERATIONS; ) {
    const found = findParent(youngest.parent, folder, input);
    if (found === undefined) break;
    folder = posix.dirname(found.path);
    lineage.push({ ...found.pom, folder });
    youngest = found.pom;
  }
  return lineage;
}

/** A pom with the folder that it is in, relative to the first one. */
export interface PlacedPom extends Pom {
  readonly folder: string;
}

interface Found {
  readonly pom: Pom;
  /** Relative to the first pom. */
  readonly path: string;
}

function findParent(parent: ParentReference, folder: string, input: LockfileInput): Found | undefined {
  return findPom(parent, placesOf(parent.relativePath), { folder, input });
}

/** The pom of these coordinates at one of the places, which are relative to a folder. */
export function findPom(
  wanted: Coordinates,
  places: readonly string[],
  { folder, input }: { readonly folder: string; readonly input: LockfileInput },
): Found | undefined {
  for (const place of places) {
    const path = posix.normalize(posix.join(folder, place));
    const content = input.sibling?.(path);
    const pom = content === undefined ? undefined : readParent(content, input.path);
    if (pom !== undefined && isThe(wanted, pom)) return { pom, path };
  }
  return undefined;
}

/**
 * Where a pom's parent may be, relative to it: at `relativePath`, or, where files were given without their folders, beside
 * it under the same name.
 */
export function placesOf(relativePath: string): readonly string[] {
  // An empty path says that the parent is not in the source tree.
  if (relativePath === '') return [];
  const stated = relativePath.replaceAll('\\', '/');
  const path = /\.(?:xml|pom)$/i.test(stated) ? stated : posix.join(stated, 'pom.xml');
  const name = posix.basename(path);
  return path === name ? [path] : [path, name];
}

function readParent(content: Buffer, path: string): Pom | undefined {
  try {
    return readPom(decodeText(content, path), path);
  } catch (error) {
    // The parent only adds what the pom does not say; its faults are its own.
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}

function isThe(wanted: Coordinates, { project, parent }: Pom): boolean {
  return (
    textOf(project, 'artifactId') === wanted.artifactId &&
    (textOf(project, 'groupId') ?? parent?.groupId) === wanted.groupId &&
    matchesVersion(textOf(project, 'version') ?? parent?.version ?? '', wanted.version)
  );
}

/** Versions made of properties (`${revision}`) can only be told apart by Maven itself. */
function matchesVersion(stated: string, wanted: string): boolean {
  return stated === wanted || stated.includes('${') || wanted.includes('${');
}
