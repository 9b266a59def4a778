import { readFileSync } from 'node:fs';
import { buildPurl } from '../src/lockfiles/purl.ts';
import { readLockfile } from '../src/lockfiles/read.ts';
import { median } from './median.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

const ROUNDS = 21;
const WARM_UP = 4;

/** Compares, round by round in one process, so that a busy machine is busy for all alike. Argument: a real file. */
export async function run([file]: readonly string[]): Promise<void> {
  const content = file === undefined ? Buffer.from(syntheticPackageLock(6_500)) : readFileSync(file);
  const read = () => readLockfile({ path: 'package-lock.json', content });
  const subjects: Readonly<Record<string, () => unknown>> = {
    'JSON.parse': () => JSON.parse(content.toString('utf8')),
    'JSON.parse and the set of purls': () => purlSet(JSON.parse(content.toString('utf8'))),
    'readLockfile (lines, edges, integrity, groups)': read,
  };
  const times = new Map(Object.keys(subjects).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    for (const [name, work] of Object.entries(subjects)) {
      const began = performance.now();
      work();
      if (round >= WARM_UP) times.get(name)?.push(performance.now() - began);
    }
  }
  const [floor = [], withPurls = []] = [...times.values()];
  console.log(
    `${read().packages.length} packages, ${(content.length / 1e6).toFixed(2)} MB, medians of ${ROUNDS} rounds`,
  );
  for (const [name, all] of times) {
    const ratio = (base: readonly number[]) =>
      median(all.map((time, index) => time / (base[index] ?? Number.NaN))).toFixed(2);
    console.log(
      `${name.padEnd(48)} ${median(all).toFixed(1).padStart(7)} ms   ${ratio(floor)} × JSON.parse   ${ratio(withPurls)} × with purls`,
    );
  }
}

function purlSet(root: {
  packages?: Record<string, { version?: string; name?: string }>;
}): ReadonlySet<string> {
  const purls = new Set<string>();
  for (const [path, { version = '', name }] of Object.entries(root.packages ?? {})) {
    const full = name ?? path.slice(path.lastIndexOf('node_modules/') + 13);
    if (path === '' || version === '') continue;
    const slash = full.startsWith('@') ? full.indexOf('/') : -1;
    const namespace = slash < 0 ? undefined : full.slice(0, slash);
    purls.add(buildPurl({ type: 'npm', namespace, name: full.slice(slash + 1), version }));
  }
  return purls;
}
