import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { withoutPeers } from '../pnpm-lock/identity.ts';
import { isTable, membersOf, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
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
  const stated = documents.flatMap((document) => [...requirementsOf(document), ...peersOf(document)]);
  return {
    requirements: stated.flatMap((one) =>
      replaced.has(one.name) ? (one.by === '' ? manifestRequirement(one, files) : []) : one,
    ),
    statesDirect: true,
    overrides: Object.fromEntries(documents.flatMap((document) => textsOf(document['overrides']))),
    pins: [...replacing, ...pinsIn(readManifest(files))],
  };
};

/** The first of these lists that has a name decides. pnpm installs a peer that is missing, too. */
const MANIFEST_LISTS = ['optionalDependencies', 'dependencies', 'devDependencies', 'peerDependencies'];

/** A requirement of a project as its manifest states it. */
function manifestRequirement(
  { folder, name }: StatedRequirement,
  files: ReadonlyMap<string, string>,
): readonly StatedRequirement[] {
  const manifest = readManifest(files, folder);
  const stated = MANIFEST_LISTS.map((list) => tableIn(manifest?.[list])[name]).find((one) => textIn(one));
  return requirementOf(folder, name, stated);
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
    return textsOf(tableIn(entry)['peerDependencies']).map(([name, requirement]) => {
      return { by, folder: '', name, requirement, isPeer: true };
    });
  });
}

function requirementOf(folder: string, name: string, stated: unknown): readonly StatedRequirement[] {
  const requirement = textIn(stated);
  return requirement === undefined ? [] : [{ by: '', folder, name, requirement }];
}
