import { bunManager, npmManager, pnpmManager, yarnClassic, yarnModern } from './javascript.ts';
import { argument, type Manager, type Move, type Written } from './manager.ts';

const each =
  (command: (move: Move) => string) =>
  (moves: readonly Move[]): readonly string[] => [...new Set(moves.map(command))];

/** A manager that installs one version of a package, and selects another one only where the target requires it. */
const BY_REQUIREMENT = {
  relocks: 'never',
  nests: false,
  upgradesDependents: true,
  relock: () => [],
} as const;

/** Go selects the highest version that any module requires. */
const goManager: Manager = {
  ...BY_REQUIREMENT,
  name: 'Go',
  relocks: 'exactly',
  relock: goGet,
  upgrade: goGet,
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
const nugetManager: Manager = {
  ...BY_REQUIREMENT,
  name: 'NuGet',
  upgrade: each(addReference),
  override: each(addReference),
};

function addReference({ name, to }: Move): string {
  return `dotnet add package ${argument(name)} --version ${argument(to)}`;
}

/** A file that a person edits. `statement`: what it has to contain. */
function editedFile(file: string, statement: (move: Move) => string): Manager {
  const edit = each((move) => `# ${file}: ${statement(move)}`);
  return { ...BY_REQUIREMENT, name: file, upgrade: edit, override: edit };
}

function named(moves: readonly Move[]): string {
  return moves.map(({ name }) => argument(name)).join(' ');
}

const MANAGERS: Readonly<Record<string, Manager>> = {
  'npm-package-lock': npmManager,
  'yarn-lock': yarnModern,
  'pnpm-lock': pnpmManager,
  'bun-lock': bunManager,
  'deno-lock': {
    ...BY_REQUIREMENT,
    name: 'Deno',
    nests: true,
    upgradesDependents: false,
    upgrade: each(({ name, to }) => `deno add ${argument(`npm:${name}@${to}`)}`),
  },
  'cargo-lock': {
    ...BY_REQUIREMENT,
    name: 'Cargo',
    relocks: 'exactly',
    nests: true,
    relock: each(
      ({ name, from, to }) => `cargo update -p ${argument(`${name}@${from}`)} --precise ${argument(to)}`,
    ),
    upgrade: each(({ name, to, isDev }) => `cargo add ${isDev ? '--dev ' : ''}${argument(`${name}@${to}`)}`),
  },
  'poetry-lock': {
    ...BY_REQUIREMENT,
    name: 'Poetry',
    relocks: 'highest',
    relock: (moves) => [`poetry update ${named(moves)}`],
    upgrade: each(
      ({ name, to, isDev }) => `poetry add ${isDev ? '--group dev ' : ''}${argument(`${name}@${to}`)}`,
    ),
  },
  'uv-lock': {
    ...BY_REQUIREMENT,
    name: 'uv',
    relocks: 'exactly',
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
  },
  'pipfile-lock': {
    ...BY_REQUIREMENT,
    name: 'Pipenv',
    upgrade: each(
      ({ name, to, isDev }) => `pipenv upgrade ${isDev ? '--dev ' : ''}${argument(`${name}==${to}`)}`,
    ),
  },
  'pdm-lock': {
    ...BY_REQUIREMENT,
    name: 'PDM',
    upgrade: each(({ name, to, isDev }) => `pdm add ${isDev ? '--dev ' : ''}${argument(`${name}==${to}`)}`),
  },
  'gemfile-lock': {
    ...BY_REQUIREMENT,
    name: 'Bundler',
    relocks: 'highest',
    relock: (moves) => [`bundle update --conservative ${named(moves)}`],
    upgrade: (moves) => [
      ...moves.map(({ name, to }) => `# Gemfile: require ${JSON.stringify(name)}, ${JSON.stringify(to)}`),
      `bundle update --conservative ${named(moves)}`,
    ],
  },
  'composer-lock': {
    ...BY_REQUIREMENT,
    name: 'Composer',
    upgrade: each(
      ({ name, to, isDev }) =>
        `composer require ${isDev ? '--dev ' : ''}--with-dependencies ${argument(`${name}:^${to}`)}`,
    ),
  },
  'pubspec-lock': {
    ...BY_REQUIREMENT,
    name: 'pub',
    upgrade: each(
      ({ name, to, isDev }) => `dart pub add ${argument(`${isDev ? 'dev:' : ''}${name}:^${to}`)}`,
    ),
  },
  'mix-lock': {
    ...BY_REQUIREMENT,
    name: 'Mix',
    upgrade: (moves) => [
      ...moves.map(({ name, to }) => `# mix.exs: require {:${name}, "~> ${to}"}`),
      `mix deps.update ${named(moves)}`,
    ],
  },
  'go-mod': goManager,
  'go-sum': goManager,
  'nuget-packages-lock': nugetManager,
  'nuget-packages-config': nugetManager,
  'requirements-txt': editedFile('requirements file', ({ name, to }) => `${name}==${to}`),
  'maven-pom-xml': editedFile(
    'pom.xml',
    ({ name, to }) => `version ${to} of ${name} in dependencyManagement`,
  ),
  'gradle-lockfile': editedFile('build script', ({ name, to }) => `constraint "${name}:${to}"`),
};

/** For SBOMs and formats that no package manager writes. */
const UNKNOWN: Manager = { ...BY_REQUIREMENT, name: '', upgrade: () => [] };

/** The package manager that wrote a lockfile. */
export function managerOf({ format, statement }: Written): Manager {
  return statement.manager === 'yarn-1' ? yarnClassic : (MANAGERS[format] ?? UNKNOWN);
}
