import { readFileSync } from 'node:fs';
import { packageFile } from '../../files/package-file.ts';

interface PackageLock {
  readonly name: string;
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedEntry>>;
}

interface LockedEntry {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const SHOP = packageFile('examples/shop/package-lock.json');

/** Services by team. Each has some of the direct dependencies of the example, and what these need. */
const SERVICES: readonly (readonly [target: string, team: string, part: number])[] = [
  ['payments/api', 'payments', 3],
  ['payments/worker', 'payments', 5],
  ['payments/ledger', 'payments', 9],
  ['web/storefront', 'web', 2],
  ['web/admin', 'web', 4],
  ['web/search', 'web', 7],
  ['data/importer', 'data', 6],
  ['data/reports', 'data', 8],
  ['platform/gateway', 'platform', 4],
  ['platform/mailer', 'platform', 10],
  ['platform/status', 'platform', 13],
];

/**
 * Eleven targets beside the shop itself. Their lockfiles are parts of that of the example. `daysAgo`: when it was scanned first, in days
 * before now. `content`: a `package-lock.json`.
 */
export function demoFleet() {
  const lock = JSON.parse(readFileSync(SHOP, 'utf8')) as PackageLock;
  return SERVICES.map(([target, team, part], index) => ({
    target,
    labels: { team },
    daysAgo: 3 + index * index * 3,
    content: Buffer.from(
      JSON.stringify(
        partOf(lock, target, (at) => (at + index) % part === 0),
        null,
        2,
      ),
    ),
  }));
}

/** The lockfile of a project with those direct dependencies whose number is chosen. */
function partOf(lock: PackageLock, name: string, isChosen: (index: number) => boolean): PackageLock {
  const root = lock.packages[''] ?? {};
  const choose = (all: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(all).filter((_, index) => isChosen(index)));
  const own = {
    ...root,
    name,
    dependencies: choose(root.dependencies),
    devDependencies: choose(root.devDependencies),
  };
  const packages: Record<string, LockedEntry> = { '': own };
  const waiting: (readonly [path: string, entry: LockedEntry])[] = [['', own]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, entry] = next;
    for (const dependency of namesOf(entry)) {
      const found = placeOf(lock, path, dependency);
      if (found === undefined || packages[found] !== undefined) continue;
      const locked = lock.packages[found] ?? {};
      packages[found] = locked;
      waiting.push([found, locked]);
    }
  }
  const sorted = Object.entries(packages).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { ...lock, name, packages: Object.fromEntries(sorted) };
}

function namesOf(entry: LockedEntry): readonly string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = entry;
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
}

/** The place where Node finds a dependency of a package: in its own folder, or in one above. */
function placeOf({ packages }: PackageLock, path: string, name: string): string | undefined {
  for (let folder = path; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
}
