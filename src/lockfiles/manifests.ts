import { messageOf } from '../model/errors.ts';
import { statedDependencies } from './ecosystems/pyproject.ts';
import { parseJson } from './syntax/parse-json.ts';
import { membersOf, parseToml, type Table, tableIn } from './syntax/parse-toml.ts';

/** Whether the text of a manifest in `LOCKED_BY` names packages of a registry. Throws `LockfileError` for a text that cannot be read. */
const READERS: Readonly<Record<string, (text: string) => boolean>> = {
  'package.json': (text) =>
    namesAny(json('package.json', text), ['dependencies', 'devDependencies', 'optionalDependencies']),
  // `php` and extensions such as `ext-json` are no packages.
  'composer.json': (text) =>
    namesAny(json('composer.json', text), ['require', 'require-dev'], (name) => name.includes('/')),
  'Cargo.toml': (text) => namesCrates(parseToml(text, 'Cargo.toml')),
  'pyproject.toml': (text) => namesPython(parseToml(text, 'pyproject.toml')),
  Pipfile: (text) => namesAny(parseToml(text, 'Pipfile'), ['packages', 'dev-packages']),
  Gemfile: (text) => /^[ \t]*gem[ (]/m.test(text),
  Podfile: (text) => /^[ \t]*pod[ (]/m.test(text),
};

/** Why the packages of a manifest without a lockfile are not known; `undefined` for one that names none. */
export function unlockedReason(name: string, text: string): string | undefined {
  try {
    if (READERS[name]?.(text) !== true) return undefined;
    return 'no lockfile locks the packages that it names: they were not looked up';
  } catch (error) {
    return `no lockfile belongs to it, and which packages it names is not known: ${messageOf(error)}`;
  }
}

function json(name: string, text: string): Table {
  return tableIn(parseJson(text, name, 'a manifest'));
}

function namesAny(
  root: Table,
  tables: readonly string[],
  counts = (_name: string): boolean => true,
): boolean {
  return tables.some((name) => Object.keys(tableIn(root[name])).some(counts));
}

const CRATES = ['dependencies', 'dev-dependencies', 'build-dependencies'];

/** Crates that are given by a path are part of the project. */
function namesCrates(root: Table): boolean {
  const targets = membersOf(root['target']).map(([, target]) => tableIn(target));
  return [root, ...targets]
    .flatMap((one) => CRATES.flatMap((name) => membersOf(one[name])))
    .some(([, stated]) => tableIn(stated)['path'] === undefined);
}

function namesPython(root: Table): boolean {
  const { lists, tables } = statedDependencies(root);
  return (
    lists.some((list) => Array.isArray(list) && list.length > 0) ||
    tables.flatMap(membersOf).some(([name]) => name !== 'python')
  );
}
