import { argument, byFolder, type Manager, type Move, type Parent } from './manager.ts';

const exactly = ({ name, to, alias }: Move) =>
  alias === undefined ? `${name}@${to}` : `${alias}@npm:${name}@${to}`;
const named = ({ name }: Move) => name;

/**
 * `npm pkg set` reads a name with dots in brackets only. An override below a package is limited to its locked version, because another version
 * can require a later one. Where that package is overridden itself (`overridden`), `.` is the package and the rest is below it.
 */
function setOverride(
  { name, to, parents }: Move,
  overridden: ReadonlySet<string>,
  above: ReadonlySet<string>,
): string {
  const own = above.has(name) ? `overrides[${name}][.]` : `overrides[${name}]`;
  const keys = parents.map((parent) => {
    return `overrides[${overridden.has(parent.name) ? parent.name : keyOf(parent)}][${name}]`;
  });
  return `npm pkg set ${(keys.length === 0 ? [own] : keys).map((key) => argument(`${key}=${to}`)).join(' ')}`;
}

/** npm refuses a version beside the name of a direct dependency. */
function keyOf({ name, version, direct }: Parent): string {
  return direct === true ? name : `${name}@${version}`;
}

/** Yarn separates the parent from the name by a slash. */
function setResolution({ name, to, parents }: Move, prefix: string): string {
  const names = new Set(parents.map((parent) => parent.name));
  const keys = names.size === 0 ? [name] : Array.from(names, (parent) => `${prefix}${parent}/${name}`);
  return `npm pkg set ${keys.map((key) => argument(`resolutions[${key}]=${to}`)).join(' ')}`;
}

function all(moves: readonly Move[]): string {
  return [...new Set(moves.map((move) => argument(named(move))))].join(' ');
}

export const npmManager: Manager = {
  name: 'npm',
  relocks: 'highest',
  nests: true,
  upgradesDependents: true,
  relock: (moves) => [`npm update ${all(moves)}`],
  upgrade: (moves) =>
    byFolder(moves, exactly, (folder, given) =>
      folder === "''" ? `npm install ${given}` : `npm install --workspace ${folder} ${given}`,
    ),
  override: (moves) => {
    const overridden = new Set(moves.flatMap(({ name, parents }) => (parents.length === 0 ? [name] : [])));
    const above = new Set(moves.flatMap(({ parents }) => parents.map(({ name }) => name)));
    return [...moves.map((move) => setOverride(move, overridden, above)), `npm update ${all(moves)}`];
  },
};

/** Entries are paragraphs: `name@range, name@range:` and `  version "…"`. An alias has the name after `npm:`. */
function withoutEntries(moves: readonly Move[]): string {
  const entries = moves.map(({ name, from }) => {
    return `(^|[", :])${inPattern(name)}@[^\\n]*:\\n  version "${inPattern(from)}"`;
  });
  const kept = `BEGIN{RS="";ORS="\\n\\n"} !/${[...new Set(entries)].join('|')}/`;
  return `awk ${argument(kept)} yarn.lock > yarn.lock.new && mv yarn.lock.new yarn.lock`;
}

/** A text in a regular expression of awk. */
function inPattern(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** Yarn 1 re-locks a package that the target does not name only when its entries are missing. */
export const yarnClassic: Manager = {
  name: 'Yarn 1',
  relocks: 'highest',
  nests: true,
  upgradesDependents: false,
  relock: (moves) => [withoutEntries(moves), 'yarn install'],
  // In a folder of a workspace, an upgrade takes the resolutions of the root out of the lockfile. An installation restores them.
  upgrade: (moves) => [
    ...byFolder(moves, exactly, (folder, given) =>
      folder === "''" ? `yarn upgrade ${given}` : `yarn --cwd ${folder} upgrade ${given}`,
    ),
    ...(moves.some(({ folder }) => folder !== '') ? ['yarn install'] : []),
  ],
  override: (moves) => [...moves.map((move) => setResolution(move, '**/')), 'yarn install'],
};

export const yarnModern: Manager = {
  name: 'Yarn',
  relocks: 'highest',
  nests: true,
  upgradesDependents: false,
  relock: (moves) => [`yarn up --recursive ${all(moves)}`],
  upgrade: (moves) => [`yarn up ${[...new Set(moves.map((move) => argument(exactly(move))))].join(' ')}`],
  override: (moves) => [...moves.map((move) => setResolution(move, '')), 'yarn install --no-immutable'],
};

/**
 * Re-locks by the option that each needs. Beside a name that the project requires itself, pnpm ignores names that it does not, and it ignores other
 * versions of that name, unless an option leaves out the list that has the name.
 */
function pnpmRelocks(moves: readonly Move[]): readonly (readonly [option: string, moves: readonly Move[]])[] {
  const parts = [
    ['', moves.filter(({ isDirect, besides }) => isDirect && besides === undefined)],
    ['', moves.filter(({ isDirect }) => !isDirect)],
    ['--dev ', moves.filter(({ besides }) => besides === 'prod')],
    ['--prod ', moves.filter(({ besides }) => besides === 'dev')],
  ] as const;
  return parts.filter(([, own]) => own.length > 0);
}

export const pnpmManager: Manager = {
  name: 'pnpm',
  relocks: 'highest',
  nests: true,
  upgradesDependents: false,
  // `--recursive` changes nothing in a project that is no workspace, and without it, only the root of a workspace is changed.
  relock: (moves, isWorkspace) =>
    pnpmRelocks(moves).map(([option, own]) => {
      return `pnpm update ${isWorkspace ? '--recursive ' : ''}--no-save ${option}--depth Infinity ${all(own)}`;
    }),
  upgrade: (moves) =>
    byFolder(moves, exactly, (folder, given) =>
      folder === "''" ? `pnpm update ${given}` : `pnpm --dir ${folder} update ${given}`,
    ),
  override: (moves, { overrides = {} }) => {
    const added = moves.flatMap(({ name, to, parents }) => {
      const keys =
        parents.length === 0 ? [name] : parents.map((parent) => `${parent.name}@${parent.version}>${name}`);
      return keys.map((key) => [key, to] as const);
    });
    const all = JSON.stringify({ ...overrides, ...Object.fromEntries(added) });
    return [
      `pnpm config set --location project --json overrides ${argument(all)}`,
      'pnpm install --no-frozen-lockfile',
    ];
  },
};

/** Bun has no command that re-locks a package that the target does not name. */
export const bunManager: Manager = {
  name: 'Bun',
  relocks: 'never',
  nests: true,
  upgradesDependents: true,
  relock: () => [],
  upgrade: (moves) => [
    ...byFolder(
      moves.filter(({ isDev }) => !isDev),
      exactly,
      (folder, given) => inFolder(folder, `bun add ${given}`),
    ),
    ...byFolder(
      moves.filter(({ isDev }) => isDev),
      exactly,
      (folder, given) => inFolder(folder, `bun add --dev ${given}`),
    ),
  ],
  // Bun's overrides apply to all dependents.
  override: (moves) => [
    `bun pm pkg set ${moves.map(({ name, to }) => argument(`overrides[${JSON.stringify(name)}]=${to}`)).join(' ')}`,
    'bun install',
  ],
};

function inFolder(folder: string, command: string): string {
  return folder === "''" ? command : command.replace('bun ', `bun --cwd ${folder} `);
}
