import { createHash } from 'node:crypto';

/** A package version of a made-up target. */
export interface SyntheticPackage {
  readonly name: string;
  readonly version: string;
  /** Folder in node_modules: its name, below another package for the second version of a name. */
  readonly place: readonly string[];
  readonly dependencies: readonly SyntheticPackage[];
  readonly peer: SyntheticPackage | undefined;
  readonly isDev: boolean;
  readonly isOptional: boolean;
  readonly hasBin: boolean;
  readonly integrity: string;
}

export interface SyntheticGraph {
  /** Direct dependencies. */
  readonly direct: readonly SyntheticPackage[];
  /** Sorted by name and version. */
  readonly packages: readonly SyntheticPackage[];
}

type Draft = { -readonly [Key in keyof SyntheticPackage]: SyntheticPackage[Key] };

const DIRECT = 120;
/** Packages that others have as peers. */
const PEERS = 40;

/**
 * A dependency graph of the given number of package versions with the proportions of large targets: three edges a package, a
 * seventh of the names in two versions, a quarter with a peer. Deterministic.
 */
export function syntheticGraph(count: number): SyntheticGraph {
  const random = numbersFrom(42);
  const packages: Draft[] = [];
  for (let index = 0; index < count; index += 1) packages.push(newPackage(index, packages, random));
  for (const [index, one] of packages.entries()) {
    const wanted = new Set<SyntheticPackage>();
    const names = new Set<string>();
    // Packages depend on later ones, most on some that many others need.
    for (let left = Math.floor(random() * 7); left > 0 && index + 1 < count; left -= 1) {
      const further = random() < 0.5 ? random() : random() ** 4;
      const other = packages[index + 1 + Math.floor(further * (count - index - 1))] as Draft;
      if (!names.has(other.name)) wanted.add(other);
      names.add(other.name);
    }
    one.dependencies = [...wanted].sort(byName);
    if (index > PEERS && random() < 0.25) one.peer = packages[Math.floor(random() * PEERS)];
  }
  return { direct: packages.slice(0, DIRECT), packages: packages.toSorted(byName) };
}

function newPackage(index: number, others: readonly SyntheticPackage[], random: () => number): Draft {
  const first = index > 200 && random() < 0.15 ? others[Math.floor(random() * index)] : undefined;
  const isSecond = first !== undefined && first.place.length === 1;
  const name = isSecond ? first.name : nameOf(index);
  const version = `${isSecond ? 10 + index : index % 9}.${index % 23}.${index % 7}`;
  return {
    name,
    version,
    place: isSecond ? [others[index - 1]?.name ?? '', name] : [name],
    dependencies: [],
    peer: undefined,
    isDev: random() < 0.6,
    isOptional: random() < 0.03,
    hasBin: random() < 0.1,
    integrity: `sha512-${createHash('sha512').update(`${name}@${version}`).digest('base64')}`,
  };
}

function nameOf(index: number): string {
  const word = `${['core', 'util', 'stream', 'parse', 'plugin', 'helper', 'preset', 'types'][index % 8]}-${index}`;
  return index % 4 === 0 ? `@scope-${index % 60}/${word}` : `${word}-package`;
}

function byName(left: SyntheticPackage, right: SyntheticPackage): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  return left.version < right.version ? -1 : 1;
}

/** A linear congruential generator, for repeatable numbers. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
