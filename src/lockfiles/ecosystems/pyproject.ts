import type { LockfileInput } from '../format.ts';
import { readCompanion } from '../syntax/decode-text.ts';
import { membersOf, parseToml, type Table, tableIn, textsIn } from '../syntax/parse-toml.ts';
import { normalizedName, requirementName } from './python.ts';

/** The manifest in the folder of a Python lockfile. */
export const PYPROJECT = 'pyproject.toml';

/** The normalised names of all dependencies in the manifest; `undefined` when it is absent or unreadable. */
export function namesInPyproject(input: LockfileInput): ReadonlySet<string> | undefined {
  return readCompanion(input, PYPROJECT, (text) => {
    const root = parseToml(text, PYPROJECT);
    return new Set([...namesIn(root), ...pdmAndUvNames(root)]);
  });
}

/** The requirements of a manifest: lists of texts (PEP 621, PEP 735), and Poetry's tables by name. */
export function statedDependencies(root: Table) {
  const project = tableIn(root['project']);
  const poetry = tableIn(tableIn(root['tool'])['poetry']);
  return {
    lists: [
      project['dependencies'],
      ...membersOf(project['optional-dependencies']).map(([, list]) => list),
      ...membersOf(root['dependency-groups']).map(([, list]) => list),
    ],
    tables: [
      poetry['dependencies'],
      poetry['dev-dependencies'],
      ...membersOf(poetry['group']).map(([, group]) => tableIn(group)['dependencies']),
    ],
  };
}

function namesIn(root: Table): readonly string[] {
  const { lists, tables } = statedDependencies(root);
  const ofPoetry = tables.flatMap((table) => membersOf(table).map(([name]) => normalizedName(name)));
  return [...lists.flatMap(namesOfRequirements), ...ofPoetry.filter((name) => name !== 'python')];
}

function pdmAndUvNames(root: Table): readonly string[] {
  const tool = tableIn(root['tool']);
  const pdm = tableIn(tool['pdm'])['dev-dependencies'];
  const uv = tableIn(tool['uv'])['dev-dependencies'];
  return [uv, ...membersOf(pdm).map(([, list]) => list)].flatMap(namesOfRequirements);
}

function namesOfRequirements(list: unknown): readonly string[] {
  return textsIn(list).flatMap((requirement) => requirementName(requirement) ?? []);
}
