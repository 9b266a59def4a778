import type {
  ProjectStatement,
  StatedCooldown,
  StatedRequirement,
} from '../../model/advice/project-statement.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import { parseBunLock } from '../bun-lock/format.ts';
import { LockfileError } from '../errors.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { isTable, membersOf, parseToml, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import { cooldownIn } from './cooldown.ts';
import { npmStatement } from './npm.ts';
import { pinsOf, readManifest, requirementsIn } from './package-json.ts';
import { pnpmStatement } from './pnpm.ts';
import { poetryStatement, uvStatement } from './python.ts';
import { type StatementInput, type StatementReader, textsOf } from './statement.ts';
import { yarnStatement } from './yarn.ts';

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

const READERS: Readonly<Record<string, StatementReader>> = {
  'npm-package-lock': npmStatement,
  'yarn-lock': yarnStatement,
  'pnpm-lock': pnpmStatement,
  'bun-lock': bunStatement,
  'cargo-lock': cargoStatement,
  'poetry-lock': poetryStatement,
  'uv-lock': uvStatement,
  'gemfile-lock': gemStatement,
  'nuget-packages-lock': nugetStatement,
};

/** Files beside a lockfile that state requirements or settings. */
export const STATEMENT_FILES: readonly string[] = [
  'package.json',
  '.npmrc',
  'pnpm-workspace.yaml',
  '.yarnrc.yml',
  'bunfig.toml',
  'Cargo.toml',
  'pyproject.toml',
  'uv.toml',
];

/**
 * Patterns of folders whose manifests state requirements, too: the workspaces of Yarn 1, which its lockfile does not have. `files`: those beside
 * the lockfile.
 */
export function memberPatterns(format: string, files: ReadonlyMap<string, string>): readonly string[] {
  if (format !== 'yarn-lock') return [];
  const workspaces = orProblem(
    () => readManifest(files)?.['workspaces'],
    () => undefined,
  );
  const patterns = isObject(workspaces) ? workspaces['packages'] : workspaces;
  return Array.isArray(patterns) ? patterns.filter((one) => typeof one === 'string') : [];
}

const NOTHING: ProjectStatement = { requirements: [], statesDirect: false, pins: [] };

/**
 * Reads the statement of a lockfile and the files beside it about the selection of versions. A file that cannot be read states nothing;
 * `problem` is then called with the reason.
 */
export function readStatement(
  format: string,
  input: StatementInput,
  problem: (reason: string) => void,
): ProjectStatement {
  const statement = orProblem(() => READERS[format]?.(input), problem) ?? NOTHING;
  const cooldown: StatedCooldown | undefined = orProblem(() => cooldownIn(format, input.files), problem);
  return { ...statement, cooldown };
}

function orProblem<T>(read: () => T, problem: (reason: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LockfileError)) throw error;
    problem(messageOf(error));
    return undefined;
  }
}
