import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readLockfile } from '../src/lockfiles/read.ts';
import { floorOf } from './floor.ts';
import { LOCKFILE_FOLDER, SIZES } from './lockfiles.ts';
import { median } from './median.ts';
import { installPeers, loadPeer } from './peers.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

const ROUNDS = 31;
const WARM_UP = 20;
/** Slow subjects run in fewer rounds. */
const SLOW_MS = 400;

interface Subject {
  readonly name: string;
  readonly work: () => unknown;
}

/**
 * Times readers of the same text alternately in one process, so that load on the machine affects all of them, and prints
 * medians of the ratios within a round. All start from the bytes of the file. `npm run bench -- lockfiles` writes the
 * files; without them one is generated.
 */
export async function run([file]: readonly string[]): Promise<void> {
  if (file !== undefined) return await compare(file, readFileSync(file), file.split('/').at(-1) ?? '');
  let any = false;
  for (const size of Object.keys(SIZES)) {
    for (const path of [
      'npm/package-lock.json',
      'yarn/yarn.lock',
      'berry/yarn.lock',
      'pnpm/pnpm-lock.yaml',
      'bun/bun.lock',
    ]) {
      const full = join(LOCKFILE_FOLDER, size, path);
      if (!existsSync(full) || statSync(full).size === 0) continue;
      any = true;
      await compare(`${size}/${path}`, readFileSync(full), path.split('/')[1] ?? '');
    }
  }
  if (any) return;
  console.log(
    'No lockfiles written by package managers: run `npm run bench -- lockfiles`. Using a generated one:',
  );
  await compare('made up', Buffer.from(syntheticPackageLock(6_500)), 'package-lock.json');
}

async function compare(title: string, content: Buffer, name: string): Promise<void> {
  const { packages } = readLockfile({ path: name, content });
  const floors = floorOf(name, content);
  const subjects: Subject[] = [
    ...floors,
    {
      name: 'lockhound (lines, edges, integrity, groups, purls)',
      work: () => readLockfile({ path: name, content }),
    },
    ...(await peersOf(name, content)),
  ];
  const times = await timeAll(subjects);
  const megabytes = (content.length / 1e6).toFixed(2);
  console.log(`\n${title}: ${packages.length} packages, ${megabytes} MB, medians of up to ${ROUNDS} rounds`);
  const bases = floors.map((floor) => ({ floor: floor.name, times: times.get(floor.name) ?? [] }));
  for (const { name: subject } of subjects) {
    const own = times.get(subject) ?? [];
    if (own.length === 0) continue;
    const ratios = bases.map(({ floor, times: base }) => {
      const ratio = median(own.map((time, index) => time / (base[index] ?? Number.NaN)));
      return `${ratio.toFixed(2).padStart(8)} × ${floor}`;
    });
    console.log(`  ${subject.padEnd(52)} ${median(own).toFixed(1).padStart(8)} ms ${ratios.join(' ')}`);
  }
}

async function timeAll(subjects: readonly Subject[]): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    // The order rotates: the garbage of one subject slows down the next.
    const turn = round % subjects.length;
    for (const { name, work } of [...subjects.slice(turn), ...subjects.slice(0, turn)]) {
      const known = times.get(name) ?? [];
      if ((known[0] ?? 0) > SLOW_MS && known.length >= 3) continue;
      const began = performance.now();
      await work();
      if (round >= WARM_UP || performance.now() - began > SLOW_MS) known.push(performance.now() - began);
    }
  }
  return times;
}

type Lockparse = { parse(text: string, type: string): Promise<unknown> };
type Snyk = {
  buildDepTree(manifest: string, lock: string, dev: boolean, type: string, strict: boolean): Promise<unknown>;
  parseNpmLockV2Project(manifest: string, lock: string, options: object): Promise<unknown>;
};

const LOCKPARSE_TYPES: Readonly<Record<string, string>> = {
  'yarn.lock': 'yarn',
  'pnpm-lock.yaml': 'pnpm',
  'bun.lock': 'bun',
};

async function peersOf(name: string, content: Buffer): Promise<readonly Subject[]> {
  try {
    await installPeers();
  } catch (error) {
    console.log(
      `The peers could not be installed: ${error instanceof Error ? error.message : String(error)}`,
    );
    return [];
  }
  const lockparse = await loadPeer<Lockparse>('lockparse');
  const type = LOCKPARSE_TYPES[name] ?? 'npm';
  const text = content.toString();
  const subjects: Subject[] = [{ name: 'lockparse', work: () => lockparse.parse(content.toString(), type) }];
  if (name === 'yarn.lock') subjects.push(await yarnPeer(content));
  if (name === 'yarn.lock' && !text.includes('__metadata:')) return subjects;
  if (name === 'bun.lock') return subjects;
  if (name !== 'package-lock.json') {
    const yaml = await loadPeer<{ load(text: string): unknown }>('js-yaml');
    subjects.push({ name: 'js-yaml', work: () => yaml.load(content.toString()) });
  } else {
    const snyk = await loadPeer<Snyk>('snyk-nodejs-lockfile-parser');
    const root = JSON.parse(text) as { packages?: Record<string, object> };
    const manifest = JSON.stringify(root.packages?.[''] ?? {});
    const options = {
      includeDevDeps: true,
      includeOptionalDeps: true,
      pruneCycles: true,
      strictOutOfSync: false,
    };
    const work = () => snyk.parseNpmLockV2Project(manifest, content.toString(), options);
    subjects.push({ name: 'snyk-nodejs-lockfile-parser', work });
  }
  return subjects;
}

async function yarnPeer(content: Buffer): Promise<Subject> {
  if (content.includes('__metadata:')) {
    const parsers = await loadPeer<{ parseSyml(text: string): unknown }>('@yarnpkg/parsers');
    return { name: '@yarnpkg/parsers', work: () => parsers.parseSyml(content.toString()) };
  }
  const lockfile = await loadPeer<{ parse(text: string): unknown }>('@yarnpkg/lockfile');
  return { name: '@yarnpkg/lockfile', work: () => lockfile.parse(content.toString()) };
}
