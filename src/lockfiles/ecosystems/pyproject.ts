import { LockfileError } from '../errors.ts';
import type { LockfileInput } from '../format.ts';
import { membersOf, parseToml, type Table, textsIn } from '../syntax/parse-toml.ts';
import { normalizedName, requirementName } from './python-names.ts';

/** Name of the manifest beside the lockfiles of Python's tools. */
export const PYPROJECT = 'pyproject.toml';

/**
 * Normalised names of all packages that the manifest beside a lockfile asks for, in whatever group; `undefined` when there
 * is none or it cannot be read: its faults are not the lockfile's.
 */
export function namesInPyproject(input: LockfileInput): ReadonlySet<string> | undefined {
  const content = input.sibling?.(PYPROJECT);
  if (content === undefined) return undefined;
  try {
    const root = parseToml(content.toString('utf8').replace(/^\uFEFF/, ''), PYPROJECT);
    return new Set([...standardNames(root), ...poetryNames(root), ...pdmAndUvNames(root)]);
  } catch (error) {
    if (error instanceof LockfileError) return undefined;
    throw error;
  }
}

/** PEP 621 and PEP 735. */
function standardNames(root: Table): readonly string[] {
  const project = new Map(membersOf(root['project']));
  const lists = [
    project.get('dependencies'),
    ...membersOf(project.get('optional-dependencies')).map(([, list]) => list),
    ...membersOf(root['dependency-groups']).map(([, list]) => list),
  ];
  return lists.flatMap(namesOfRequirements);
}

function poetryNames(root: Table): readonly string[] {
  const poetry = new Map(membersOf(toolOf(root, 'poetry')));
  const groups = membersOf(poetry.get('group')).map(([, group]) =>
    new Map(membersOf(group)).get('dependencies'),
  );
  return [poetry.get('dependencies'), poetry.get('dev-dependencies'), ...groups]
    .flatMap((table) => membersOf(table).map(([name]) => normalizedName(name)))
    .filter((name) => name !== 'python');
}

function pdmAndUvNames(root: Table): readonly string[] {
  const pdm = new Map(membersOf(toolOf(root, 'pdm'))).get('dev-dependencies');
  const uv = new Map(membersOf(toolOf(root, 'uv'))).get('dev-dependencies');
  return [uv, ...membersOf(pdm).map(([, list]) => list)].flatMap(namesOfRequirements);
}

function toolOf(root: Table, name: string): unknown {
  return new Map(membersOf(root['tool'])).get(name);
}

function namesOfRequirements(list: unknown): readonly string[] {
  return textsIn(list).flatMap((requirement) => requirementName(requirement) ?? []);
}
