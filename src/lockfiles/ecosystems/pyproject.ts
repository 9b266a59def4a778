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
    return new Set([...standardNames(root), ...poetryNames(root), ...pdmAndUvNames(root)]);
  });
}

/** PEP 621 and PEP 735. */
function standardNames(root: Table): readonly string[] {
  const project = tableIn(root['project']);
  const lists = [
    project['dependencies'],
    ...membersOf(project['optional-dependencies']).map(([, list]) => list),
    ...membersOf(root['dependency-groups']).map(([, list]) => list),
  ];
  return lists.flatMap(namesOfRequirements);
}

function poetryNames(root: Table): readonly string[] {
  const poetry = tableIn(tableIn(root['tool'])['poetry']);
  const groups = membersOf(poetry['group']).map(([, group]) => tableIn(group)['dependencies']);
  return [poetry['dependencies'], poetry['dev-dependencies'], ...groups]
    .flatMap((table) => membersOf(table).map(([name]) => normalizedName(name)))
    .filter((name) => name !== 'python');
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
