import { argument, type Manager, type Move } from './manager.ts';

const each =
  (command: (move: Move) => string) =>
  (moves: readonly Move[]): readonly string[] => [...new Set(moves.map(command))];

export const cargoManager: Manager = {
  name: 'Cargo',
  relocks: 'exactly',
  nests: true,
  upgradesDependents: true,
  relock: each(
    ({ name, from, to }) => `cargo update -p ${argument(`${name}@${from}`)} --precise ${argument(to)}`,
  ),
  upgrade: each(({ name, to, isDev }) => `cargo add ${isDev ? '--dev ' : ''}${argument(`${name}@${to}`)}`),
};

export const poetryManager: Manager = {
  name: 'Poetry',
  relocks: 'highest',
  nests: false,
  upgradesDependents: true,
  relock: (moves) => [`poetry update ${moves.map(({ name }) => argument(name)).join(' ')}`],
  upgrade: each(
    ({ name, to, isDev }) => `poetry add ${isDev ? '--group dev ' : ''}${argument(`${name}@${to}`)}`,
  ),
};

export const uvManager: Manager = {
  name: 'uv',
  relocks: 'exactly',
  nests: false,
  upgradesDependents: true,
  relock: (moves) => [
    `uv lock ${moves.map(({ name, to }) => `--upgrade-package ${argument(`${name}==${to}`)}`).join(' ')}`,
  ],
  upgrade: each(({ name, to, isDev }) => `uv add ${isDev ? '--dev ' : ''}${argument(`${name}==${to}`)}`),
  override: (moves) => [
    ...moves.map(
      ({ name, to }) =>
        `# pyproject.toml, [tool.uv]: add ${JSON.stringify(`${name}==${to}`)} to override-dependencies`,
    ),
    'uv lock',
  ],
};

export const bundlerManager: Manager = {
  name: 'Bundler',
  relocks: 'highest',
  nests: false,
  upgradesDependents: true,
  relock: (moves) => [`bundle update --conservative ${moves.map(({ name }) => argument(name)).join(' ')}`],
  upgrade: (moves) => [
    ...moves.map(({ name, to }) => `# Gemfile: require ${JSON.stringify(name)}, ${JSON.stringify(to)}`),
    `bundle update --conservative ${moves.map(({ name }) => argument(name)).join(' ')}`,
  ],
};

/** Go selects the highest version that any module requires. */
export const goManager: Manager = {
  name: 'Go',
  relocks: 'exactly',
  nests: false,
  upgradesDependents: true,
  relock: (moves) => goGet(moves),
  upgrade: (moves) => goGet(moves),
};

/** The standard library comes with the toolchain. */
function goGet(moves: readonly Move[]): readonly string[] {
  return [
    ...moves.map(({ name, to }) =>
      name === 'stdlib' ? `go get ${argument(`toolchain@${to}`)}` : `go get ${argument(`${name}@${to}`)}`,
    ),
    'go mod tidy',
  ];
}

/** NuGet selects the lowest version that is permitted. A reference of the project itself comes before those of packages. */
export const nugetManager: Manager = {
  name: 'NuGet',
  relocks: 'never',
  nests: false,
  upgradesDependents: true,
  relock: () => [],
  upgrade: each(addReference),
  override: each(addReference),
};

function addReference({ name, to }: Move): string {
  return `dotnet add package ${argument(name)} --version ${argument(to)}`;
}

export const pipenvManager: Manager = {
  name: 'Pipenv',
  relocks: 'never',
  nests: false,
  upgradesDependents: true,
  relock: () => [],
  upgrade: each(
    ({ name, to, isDev }) => `pipenv upgrade ${isDev ? '--dev ' : ''}${argument(`${name}==${to}`)}`,
  ),
};

export const pdmManager: Manager = {
  name: 'PDM',
  relocks: 'never',
  nests: false,
  upgradesDependents: true,
  relock: () => [],
  upgrade: each(({ name, to, isDev }) => `pdm add ${isDev ? '--dev ' : ''}${argument(`${name}==${to}`)}`),
};

/** A file that a person edits. `statement`: what it has to contain. */
export function editedFile(file: string, statement: (move: Move) => string, canOverride: boolean): Manager {
  const edit = (move: Move) => `# ${file}: ${statement(move)}`;
  return {
    name: file,
    relocks: 'never',
    nests: false,
    upgradesDependents: true,
    relock: () => [],
    upgrade: each(edit),
    ...(canOverride ? { override: each(edit) } : {}),
  };
}
