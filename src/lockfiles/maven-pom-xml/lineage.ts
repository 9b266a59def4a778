import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { textOf } from '../xml-document.ts';
import { type ParentReference, type Pom, readPom } from './pom.ts';

/** Nobody inherits from further away. */
const MAX_GENERATIONS = 20;

/**
 * A pom and those that it inherits from, the nearest first, as far as they were given with it. Like Maven, takes a file
 * for the parent only when it has the parent's coordinates. A parent that is not given is no error.
 */
export function lineageOf(pom: Pom, input: LockfileInput): readonly Pom[] {
  const lineage = [pom];
  let level = 0;
  for (let youngest = pom; youngest.parent !== undefined && lineage.length < MAX_GENERATIONS; ) {
    const found = findParent(youngest.parent, level, input);
    if (found === undefined) break;
    lineage.push(found.pom);
    youngest = found.pom;
    level = found.level;
  }
  return lineage;
}

interface Found {
  readonly pom: Pom;
  /** How many folders above the first pom's it is. */
  readonly level: number;
}

function findParent(parent: ParentReference, level: number, input: LockfileInput): Found | undefined {
  const place = placeOf(parent.relativePath);
  if (place === undefined) return undefined;
  const above = level + place.up;
  const content = above === 0 ? input.sibling?.(place.name) : input.ancestor?.(above, place.name);
  const pom = content === undefined ? undefined : readParent(content, input.path);
  return pom !== undefined && isThe(parent, pom) ? { pom, level: above } : undefined;
}

/** `../../pom.xml`: two folders up. Of a path into other folders only the name is looked for: the files given are flat. */
function placeOf(relativePath: string): { readonly up: number; readonly name: string } | undefined {
  const segments = relativePath.split(/[\\/]/).filter((segment) => segment !== '' && segment !== '.');
  // An empty path says that the parent is not in the source tree.
  if (relativePath === '') return undefined;
  const firstName = segments.findIndex((segment) => segment !== '..');
  const up = firstName < 0 ? segments.length : firstName;
  const last = firstName < 0 ? undefined : segments.at(-1);
  if (last === '..') return undefined;
  return { up, name: last === undefined || !/\.(?:xml|pom)$/i.test(last) ? 'pom.xml' : last };
}

function readParent(content: Buffer, path: string): Pom | undefined {
  try {
    return readPom(content.toString('utf8').replace(/^\uFEFF/, ''), path);
  } catch (error) {
    // The parent only adds what the pom does not say; its faults are its own.
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}

function isThe(wanted: ParentReference, { project, parent }: Pom): boolean {
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
