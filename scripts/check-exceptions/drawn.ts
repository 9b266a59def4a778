import { createHash } from 'node:crypto';
import type { ManagerName } from '../check-fixes/tools.ts';

/** A package of a lockfile, as `lockhound parse --json` prints it. */
export interface LockedPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly direct?: boolean;
  readonly dependencies?: readonly string[];
}

/** An entry of a mapping of overrides: `['parent', 'name']` nests. */
export type Drawn = readonly [path: readonly string[], value: string];

/** Entries of a project that are drawn. */
const COUNT = 24;
/** Names that few projects have. */
const RARE = ['left-pad', 'is-odd', 'flat-earth', 'zalgo', 'cowsay'];

/** Draws overrides of locked packages, each of another name, which their manager accepts; the same ones for a seed. */
export function draw(locked: readonly LockedPackage[], manager: ManagerName, seed: string): readonly Drawn[] {
  const rank = (text: string) => createHash('sha256').update(`${seed} ${text}`).digest('hex');
  const byRank = (texts: readonly string[]) =>
    texts.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  const byId = new Map(locked.map((one) => [one.id, one]));
  const direct = new Set(locked.filter((one) => one.direct === true).map(({ name }) => name));
  const byName = Map.groupBy(locked, ({ name }) => name);
  const names = byRank([...byName.keys()].filter((name) => !direct.has(name))).slice(0, COUNT);
  const values = (version: string, name: string) =>
    byRank(
      [`>=${version}`, `>=${version}`, `^${version}`, version, `>=${version} <999`, `<=${version}`, '*'].map(
        (one) => `${one} ${name}`,
      ),
    );
  return [
    ...names.map((name, index): Drawn => {
      const [{ version = '' } = {}] = byName.get(name) ?? [];
      const [value = ''] = values(version, name)[0]?.split(` ${name}`) ?? [];
      const parent = locked.find(({ dependencies = [] }) =>
        dependencies.some((id) => byId.get(id)?.name === name),
      );
      return [selector(manager, name, index % 4 === 3 ? parent?.name : undefined), value];
    }),
    ...RARE.filter((name) => !byName.has(name)).map((name): Drawn => [selector(manager, name), '1.0.0']),
  ];
}

/** The keys of an entry for a package, or for the one that a parent requires. */
function selector(manager: ManagerName, name: string, parent?: string): readonly string[] {
  if (parent === undefined || manager === 'bun') return [name];
  if (manager === 'npm') return [parent, name];
  return [manager === 'pnpm' ? `${parent}>${name}` : `${manager === 'yarn' ? '**/' : ''}${parent}/${name}`];
}

/** A manifest with further overrides where its manager reads them. */
export function withOverrides(
  manifest: Record<string, unknown>,
  manager: ManagerName,
  drawn: readonly Drawn[],
): object {
  const key = manager === 'npm' || manager === 'bun' ? 'overrides' : 'resolutions';
  const tree: Record<string, unknown> = {};
  for (const [path, value] of drawn) {
    const [first = '', second] = path;
    const below = tree[first];
    if (second === undefined) tree[first] = value;
    else
      tree[first] = {
        ...(typeof below === 'object' ? below : below === undefined ? {} : { '.': below }),
        [second]: value,
      };
  }
  if (manager !== 'pnpm') return { ...manifest, [key]: { ...tree, ...object(manifest[key]) } };
  const pnpm = object(manifest['pnpm']);
  return { ...manifest, pnpm: { ...pnpm, overrides: { ...tree, ...object(pnpm['overrides']) } } };
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
