import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { withoutPeers } from '../pnpm-lock/identity.ts';
import { isTable, membersOf, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
import { requiredName } from '../yarn-lock/descriptor.ts';
import { pinsIn, pinsOf, readManifest } from './package-json.ts';
import { type StatementReader, textsOf } from './statement.ts';

const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies'];

/**
 * pnpm-lock.yaml states the requirements of the target, its pins, and what packages require as a peer. Other requirements of packages are resolved,
 * so they are not in it. Of a pinned name it has the pin in the place of each requirement: the manifests have those of the target.
 */
export const pnpmStatement: StatementReader = ({ text, path, files }) => {
  const documents = parseYaml(text, path).map(({ content }) => tableIn(content));
  const replacing = documents.flatMap((document) => pinsOf(document['overrides'], `${path} overrides`));
  const replaced = new Set(replacing.map(({ name }) => name));
  const catalogs = documents.map((document) => tableIn(document['catalogs']));
  const stated = documents.flatMap((document) => [...requirementsOf(document), ...peersOf(document)]);
  return {
    requirements: stated
      .flatMap((one) =>
        replaced.has(one.name) ? (one.by === '' ? manifestRequirement(one, files) : []) : one,
      )
      .map((one) => ({ ...one, requirement: fromCatalog(one, catalogs) })),
    // Those of a folder whose manifest could not be read.
    statesDirect: stated.every(
      ({ by, folder, name }) => by !== '' || !replaced.has(name) || readManifest(files, folder) !== undefined,
    ),
    overrides: Object.fromEntries(documents.flatMap((document) => textsOf(document['overrides']))),
    pins: [...replacing, ...pinsIn(readManifest(files))],
  };
};

/** The requirement itself where one names a catalog of the workspace, which the lockfile has. */
function fromCatalog(
  { name, alias = name, requirement }: StatedRequirement,
  catalogs: readonly Table[],
): string {
  const [, catalog] = /^catalog:(.*)$/.exec(requirement) ?? [];
  if (catalog === undefined) return requirement;
  const entries = catalogs.map((all) => tableIn(tableIn(all[catalog || 'default'])[alias]));
  return entries.map((one) => textIn(one['specifier'])).find((one) => one !== undefined) ?? requirement;
}

/** The first of these lists that has a name decides. pnpm installs a peer that is missing, too. */
const MANIFEST_LISTS = ['optionalDependencies', 'dependencies', 'devDependencies', 'peerDependencies'];

/** A requirement of a project as its manifest states it. */
function manifestRequirement(
  { folder, name, alias = name }: StatedRequirement,
  files: ReadonlyMap<string, string>,
): readonly StatedRequirement[] {
  const manifest = readManifest(files, folder);
  const stated = MANIFEST_LISTS.map((list) => tableIn(manifest?.[list])[alias]).find((one) => textIn(one));
  return requirementOf(folder, alias, stated);
}

/** Patterns of the folders of a workspace. */
export function workspaceFolders(files: ReadonlyMap<string, string>): unknown {
  const text = files.get(WORKSPACE);
  return text === undefined ? undefined : tableIn(parseYaml(text, WORKSPACE)[0]?.content)['packages'];
}

const WORKSPACE = 'pnpm-workspace.yaml';

function requirementsOf(document: Table): readonly StatedRequirement[] {
  // Without workspaces, older versions have the lists and `specifiers` at the top.
  const importers = isTable(document['importers']) ? document['importers'] : { '.': document };
  return membersOf(importers).flatMap(([place, importer]) => {
    const folder = place === '.' ? '' : place;
    const { specifiers, ...lists } = tableIn(importer);
    const older = membersOf(specifiers).flatMap(([name, requirement]) =>
      requirementOf(folder, name, requirement),
    );
    const newer = LISTS.flatMap((list) => membersOf(lists[list])).flatMap(([name, entry]) =>
      requirementOf(folder, name, tableIn(entry)['specifier']),
    );
    return [...older, ...newer];
  });
}

/** Keys are `name@version` since lockfileVersion 6, and `/name@version(peers)` in 6 itself. */
function peersOf(document: Table): readonly StatedRequirement[] {
  return membersOf(document['packages']).flatMap(([key, entry]) => {
    const by = withoutPeers(key).replace(/^\//, '');
    const { peerDependencies, peerDependenciesMeta } = tableIn(entry);
    const meta = tableIn(peerDependenciesMeta);
    return textsOf(peerDependencies).map(([name, requirement]) => {
      const isOptional = tableIn(meta[name])['optional'] === 'true';
      return { by, folder: '', name, requirement, isPeer: true, isOptional };
    });
  });
}

function requirementOf(folder: string, name: string, stated: unknown): readonly StatedRequirement[] {
  const requirement = textIn(stated);
  return requirement === undefined
    ? []
    : [{ by: '', folder, ...requiredName(name, requirement), requirement }];
}
