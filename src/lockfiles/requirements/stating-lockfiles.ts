import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { isObject } from '../../model/json-object.ts';
import { parseBunLock } from '../bun-lock/format.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { isTable, membersOf, parseToml, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import { pinsOf, requirementsIn } from './package-json.ts';
import { type StatementReader, textsOf } from './statement.ts';

/** packages.lock.json states the requirements of the project and of all packages, by target framework. */
export const nugetStatement: StatementReader = ({ text, path }) => {
  const { dependencies } = parseJsonObject(text, path, 'a packages.lock.json');
  const frameworks = isObject(dependencies) ? Object.values(dependencies).filter(isObject) : [];
  const entries = frameworks.flatMap((framework) => Object.entries(framework));
  return {
    requirements: entries.flatMap(([name, entry]) => {
      if (!isObject(entry)) return [];
      const isProject = textIn(entry['type'])?.toLowerCase() === 'project';
      const by = isProject ? '' : `${name}@${textIn(entry['resolved']) ?? ''}`;
      const requested = textIn(entry['requested']);
      const own = requested === undefined ? [] : [{ by: '', folder: '', name, requirement: requested }];
      const needs = textsOf(entry['dependencies']);
      return [...own, ...needs.map(([need, requirement]) => ({ by, folder: '', name: need, requirement }))];
    }),
    statesDirect: true,
    pins: [],
  };
};

/** `name (version)` or `name (version-platform)` of a gem. */
const GEM = /^ {4}(\S+) \(([^()\s-]+)(?:-[^()]+)?\)$/;
/** A gem that another one needs, with its requirement. */
const NEED = /^ {6}([^\s(!]+)(?: \(([^()]+)\))?$/;
/** A gem that the Gemfile names. */
const OWN = /^ {2}([^\s(!]+)(?: \(([^()]+)\))?!?$/;

/** Gemfile.lock states the requirements of all gems and of the Gemfile. */
export const gemStatement: StatementReader = ({ text }) => {
  const requirements: StatedRequirement[] = [];
  let [section, by] = ['', ''];
  for (const line of text.split('\n').map((raw) => raw.trimEnd())) {
    if (/^\S/.test(line)) section = line;
    const [, gem, version] = GEM.exec(line) ?? [];
    if (gem !== undefined) by = section === 'PATH' ? '' : `${gem}@${version}`;
    const [, name, requirement = '>= 0'] = (section === 'DEPENDENCIES' ? OWN : NEED).exec(line) ?? [];
    if (name === undefined) continue;
    requirements.push({ by: section === 'DEPENDENCIES' ? '' : by, folder: '', name, requirement });
  }
  return { requirements, statesDirect: true, pins: [] };
};

const MANIFEST = 'Cargo.toml';
const LISTS = ['dependencies', 'dev-dependencies', 'build-dependencies'];

/** Cargo.lock states no requirements. Those of the target are in its manifest, unless it is a workspace of several. */
export const cargoStatement: StatementReader = ({ files }) => {
  const text = files.get(MANIFEST);
  if (text === undefined) return { requirements: [], statesDirect: false, pins: [] };
  const root = parseToml(text, MANIFEST);
  const workspace = tableIn(root['workspace']);
  const shared = tableIn(workspace['dependencies']);
  const targets = membersOf(root['target']).map(([, table]) => tableIn(table));
  return {
    requirements: [root, ...targets].flatMap((table) => requirementsOf(table, shared)),
    statesDirect: root['package'] !== undefined && !Array.isArray(workspace['members']),
    pins: [],
  };
};

function requirementsOf(table: Table, shared: Table): readonly StatedRequirement[] {
  return LISTS.flatMap((list) => membersOf(table[list])).flatMap(([key, stated]) => {
    const entry = isTable(stated) && stated['workspace'] === true ? shared[key] : stated;
    const requirement = textIn(entry) ?? textIn(tableIn(entry)['version']);
    const name = textIn(tableIn(entry)['package']) ?? key;
    return requirement === undefined ? [] : [{ by: '', folder: '', name, requirement }];
  });
}

/** bun.lock states the requirements of its workspaces and of all packages, and the overrides. */
export const bunStatement: StatementReader = ({ text, path }) => {
  const { root } = parseBunLock({ text, path });
  const { workspaces, packages, overrides } = root;
  const own = Object.entries(isObject(workspaces) ? workspaces : {});
  const locked = Object.values(isObject(packages) ? packages : {});
  return {
    requirements: [
      ...own.flatMap(([folder, entry]) => (isObject(entry) ? requirementsIn(entry, '', folder) : [])),
      ...locked.flatMap((entry) => {
        if (!Array.isArray(entry) || typeof entry[0] !== 'string') return [];
        return requirementsIn(entry.find(isObject) ?? {}, entry[0]);
      }),
    ],
    statesDirect: true,
    pins: pinsOf(overrides, `${path} overrides`),
  };
};
