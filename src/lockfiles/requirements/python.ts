import type { StatedPin, StatedRequirement } from '../../model/advice/project-statement.ts';
import { PYPROJECT, statedDependencies } from '../ecosystems/pyproject.ts';
import { normalizedName, requirementName } from '../ecosystems/python.ts';
import type { Table } from '../syntax/parse-toml.ts';
import { isTable, membersOf, parseToml, tableIn, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import type { StatementReader } from './statement.ts';

/** poetry.lock states the requirements of all packages; those of the target are in its manifest. */
export const poetryStatement: StatementReader = ({ text, path, files }) => {
  const locked = tablesIn(parseToml(text, path)['package']);
  const manifest = files.get(PYPROJECT);
  const root = manifest === undefined ? undefined : parseToml(manifest, PYPROJECT);
  return {
    requirements: [
      ...(root === undefined ? [] : requirementsOfManifest(root)),
      ...locked.flatMap((entry) => requirementsOfEntry(entry)),
    ],
    statesDirect: root !== undefined,
    pins: [],
  };
};

/** uv.lock states the requirements and overrides of the target. Those of packages are resolved, so they are not in it. */
export const uvStatement: StatementReader = ({ text, path }) => {
  const root = parseToml(text, path);
  const own = tablesIn(root['package']).map(({ metadata }) => tableIn(metadata));
  const manifest = tableIn(root['manifest']);
  return {
    requirements: own.flatMap((metadata) => {
      const groups = membersOf(metadata['requires-dev']).map(([, list]) => list);
      return [metadata['requires-dist'], ...groups].flatMap(specifiersIn);
    }),
    statesDirect: true,
    pins: [
      ...pinsOf(manifest['overrides'], `${path} overrides`),
      ...pinsOf(manifest['constraints'], `${path} constraints`),
    ],
  };
};

/** The requirements.in beside a compiled requirements.txt, which states those of the target. */
export const compiledStatement: StatementReader = ({ files }) => {
  const stated = files.get('requirements.in')?.replace(/(?:^|\s)#.*$/gm, '');
  const lines = stated?.split('\n').filter((line) => line.trim() !== '') ?? [];
  const requirements = lines.flatMap((line) => standardRequirement(line));
  // An option may include another file.
  return {
    requirements,
    statesDirect: stated !== undefined && requirements.length === lines.length,
    pins: [],
  };
};

function requirementsOfEntry(entry: Table): readonly StatedRequirement[] {
  const by = `${textIn(entry['name']) ?? ''}@${textIn(entry['version']) ?? ''}`;
  return membersOf(entry['dependencies']).flatMap(([name, stated]) => requirementsOf(by, name, stated));
}

/** A requirement, a table with one, or a list of them for different environments. */
function requirementsOf(by: string, name: string, stated: unknown): readonly StatedRequirement[] {
  const entries: readonly unknown[] = Array.isArray(stated) ? stated : [stated];
  return entries.flatMap((entry) => {
    const requirement = textIn(entry) ?? textIn(tableIn(entry)['version']);
    return requirement === undefined ? [] : [{ by, folder: '', name: normalizedName(name), requirement }];
  });
}

/** PEP 621 and PEP 735 requirements, and Poetry's own lists. */
function requirementsOfManifest(root: Table): readonly StatedRequirement[] {
  const { lists, tables } = statedDependencies(root);
  return [
    ...lists.flatMap(textsIn).flatMap((text) => standardRequirement(text)),
    ...tables.flatMap(membersOf).flatMap(([name, stated]) => requirementsOf('', name, stated)),
  ];
}

/** `name[extra] (>=1,<2); marker`. */
function standardRequirement(text: string): readonly StatedRequirement[] {
  const name = requirementName(text);
  if (name === undefined || text.includes('@ ')) return [];
  const rest = text.replace(/;.*$/s, '').replace(/^\s*[\w.-]+\s*(?:\[[^\]]*\])?/, '');
  return [{ by: '', folder: '', name, requirement: rest.trim() }];
}

function specifiersIn(list: unknown): readonly StatedRequirement[] {
  return tablesIn(list).flatMap(({ name, specifier, ...other }) => {
    if (!isTable(other) || other['git'] !== undefined || other['url'] !== undefined) return [];
    return [
      { by: '', folder: '', name: normalizedName(textIn(name) ?? ''), requirement: textIn(specifier) ?? '' },
    ];
  });
}

function pinsOf(list: unknown, where: string): readonly StatedPin[] {
  return specifiersIn(list).map(({ name, requirement }) => ({ name, requirement, where, everywhere: true }));
}
