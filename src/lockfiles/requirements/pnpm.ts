import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { withoutPeers } from '../pnpm-lock/identity.ts';
import { isTable, membersOf, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
import { pinsIn, pinsOf, readManifest } from './package-json.ts';
import { type StatementReader, textsOf } from './statement.ts';

const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies'];

/**
 * pnpm-lock.yaml states the requirements of the target, its pins, and what packages require as a peer. Other requirements of packages are resolved,
 * so they are not in it.
 */
export const pnpmStatement: StatementReader = ({ text, path, files }) => {
  const documents = parseYaml(text, path).map(({ content }) => tableIn(content));
  return {
    requirements: documents.flatMap((document) => [...requirementsOf(document), ...peersOf(document)]),
    statesDirect: true,
    overrides: Object.fromEntries(documents.flatMap((document) => textsOf(document['overrides']))),
    pins: [
      ...documents.flatMap((document) => pinsOf(document['overrides'], `${path} overrides`)),
      ...pinsIn(readManifest(files)),
    ],
  };
};

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
