import { basename, dirname } from 'node:path/posix';
import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { readYaml } from '../syntax/read-yaml.ts';
import { readEntries as readBerryEntries } from '../yarn-lock/berry/packages.ts';
import { type ClassicEntry, readEntries, splitPatterns } from '../yarn-lock/classic/entries.ts';
import { aliasedName, type Descriptor, requiredName } from '../yarn-lock/descriptor.ts';
import { isBerry } from '../yarn-lock/format.ts';
import { MANIFEST, pinsIn, readManifest } from './package-json.ts';
import { type StatementReader, textsOf } from './statement.ts';

/**
 * yarn.lock: each entry states the requirements of its package. Those of the target are in the workspaces of a modern one, in the manifests
 * beside one of Yarn 1, and where these are missing, they are the patterns of entries that no package requires.
 */
export const yarnStatement: StatementReader = (input) => {
  const { text, path, files } = input;
  const manifest = readManifest(files);
  const pins = pinsIn(manifest);
  if (isBerry(text)) return { requirements: ofBerry(text, path), statesDirect: true, pins };
  const entries = readEntries({ text }, new LockfileBuilder());
  if (typeof entries === 'number') return { requirements: [], statesDirect: false, pins, manager: 'yarn-1' };
  const own = ownRequirements(files);
  const isWorkspace = manifest?.['workspaces'] !== undefined;
  const pinned = new Set(pins.map(({ name }) => name));
  const others = unrequired(entries, own).filter(({ name }) => !pinned.has(name));
  return {
    requirements: [
      ...own.map(({ folder, name, range }) => requirementOf('', folder, name, range)),
      ...(manifest === undefined ? others : []),
      ...entries.flatMap(ofEntry),
    ],
    // Those of a folder whose manifest could not be read.
    statesDirect: !isWorkspace || others.length === 0,
    pins,
    manager: 'yarn-1',
  };
};

interface OwnRequirement extends Pick<Descriptor, 'name' | 'range'> {
  readonly folder: string;
}

/** The requirements that Yarn 1 installs for the manifest beside the lockfile and those of its workspaces. */
function ownRequirements(files: ReadonlyMap<string, string>): readonly OwnRequirement[] {
  return [...files].flatMap(([file, text]) => {
    if (basename(file) !== MANIFEST) return [];
    const manifest = parseJsonObject(text, file, 'a package.json');
    const folder = file === MANIFEST ? '' : dirname(file);
    return INSTALLED_LISTS.flatMap((list) =>
      textsOf(manifest[list]).map(([name, range]) => ({ folder, name, range })),
    );
  });
}

const INSTALLED_LISTS = ['dependencies', 'devDependencies', 'optionalDependencies'];

function ofEntry(entry: ClassicEntry): readonly StatedRequirement[] {
  const { key, version } = entry;
  return stated(requiredBy(entry), `${nameOf(key.replace(/^"/, ''))}@${version}`, '');
}

function requiredBy({ dependencies, optionalDependencies }: ClassicEntry): readonly Descriptor[] {
  return [...dependencies, ...optionalDependencies];
}

/** Patterns that neither a package nor a known manifest requires, so that the target does. */
function unrequired(
  entries: readonly ClassicEntry[],
  own: readonly OwnRequirement[],
): readonly StatedRequirement[] {
  const required = [...own, ...entries.flatMap(requiredBy)];
  const known = new Set(required.map(({ name, range }) => `${name}@${range}`));
  return entries
    .flatMap(({ key }) => splitPatterns(key))
    .filter((pattern) => !known.has(pattern))
    .map((pattern) => {
      const at = pattern.indexOf('@', 1);
      return requirementOf('', '', pattern.slice(0, at), pattern.slice(at + 1));
    });
}

function ofBerry(text: string, path: string): readonly StatedRequirement[] {
  return readYaml({ text, path }, readBerryEntries)
    .flat()
    .flatMap(({ resolution, version, dependencies }) => {
      const workspace = /@workspace:(.*)$/s.exec(resolution)?.[1];
      if (workspace !== undefined) return stated(dependencies, '', workspace === '.' ? '' : workspace);
      return stated(dependencies, `${nameOf(resolution)}@${version}`, '');
    });
}

function stated(list: readonly Descriptor[], by: string, folder: string): readonly StatedRequirement[] {
  return list.map(({ name, range }) => requirementOf(by, folder, name, range));
}

function requirementOf(by: string, folder: string, name: string, requirement: string): StatedRequirement {
  return { by, folder, ...requiredName(name, requirement), requirement };
}

function nameOf(descriptor: string): string {
  const at = descriptor.indexOf('@', 1);
  const [name, range] = at < 0 ? [descriptor, ''] : [descriptor.slice(0, at), descriptor.slice(at + 1)];
  return aliasedName(range) ?? name;
}
