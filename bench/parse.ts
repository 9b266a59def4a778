import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readLockfile } from '../src/lockfiles/read.ts';
import { floorsOf } from './floor.ts';
import { LOCKFILE_FOLDER, SIZES } from './lockfiles.ts';
import { installPeers, loadPeer } from './peers.ts';
import { rowsOf, type Subject, type Table, timeInTurn } from './rows.ts';
import { syntheticLockfiles } from './synthetic-lockfiles.ts';

const PACKAGES = 7_400;

interface Reader extends Subject {
  readonly work: () => unknown;
}

/**
 * Times readers of the same file, all from its bytes: Lockhound with lines, edges, digests, groups and purls; the least work;
 * peers. `npm run bench -- parse [file]`. Without an argument it reads made-up files, and the files that
 * `npm run bench -- lockfiles` wrote.
 */
export async function* measure([file]: readonly string[], isShort: boolean): AsyncIterable<Table> {
  if (file !== undefined && !file.startsWith('--')) {
    yield await compare(basename(file), basename(file), readFileSync(file), isShort);
    return;
  }
  for (const [path, text] of syntheticLockfiles(PACKAGES)) {
    yield await compare(path, basename(path), Buffer.from(text), isShort);
  }
  if (isShort) return;
  for (const size of Object.keys(SIZES)) {
    for (const path of WRITTEN) {
      const full = join(LOCKFILE_FOLDER, size, path);
      if (!existsSync(full) || statSync(full).size === 0) continue;
      yield await compare(`${size}/${path}`, basename(path), readFileSync(full), false);
    }
  }
}

const WRITTEN = [
  'npm/package-lock.json',
  'yarn/yarn.lock',
  'berry/yarn.lock',
  'pnpm/pnpm-lock.yaml',
  'bun/bun.lock',
];

async function compare(path: string, name: string, content: Buffer, isShort: boolean): Promise<Table> {
  const { packages } = readLockfile({ path: name, content });
  const { floor, others } = floorsOf(name, content);
  const subjects: readonly Reader[] = [
    floor,
    ...others,
    {
      name: 'lockhound',
      floor: floor.name,
      isChecked: true,
      ...aimOf(path),
      work: () => readLockfile({ path: name, content }),
    },
    ...(isShort ? [] : await peersOf(name, content, floor.name)),
  ];
  const times = await timeInTurn(subjects, isShort ? 11 : 31, isShort ? 8 : 20);
  const megabytes = (content.length / 1e6).toFixed(2);
  return {
    title: `${path}, ${packages.length} packages, ${megabytes} MB`,
    rows: rowsOf(subjects, times),
  };
}

const AIMS: Readonly<Record<string, number>> = {
  'package-lock.json': 2.5,
  'pnpm-lock.yaml': 3.5,
  'bun.lock': 2.3,
};

function aimOf(path: string): { readonly aim?: number } {
  const aim = AIMS[basename(path)];
  return aim === undefined ? {} : { aim };
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

async function peersOf(name: string, content: Buffer, floor: string): Promise<readonly Reader[]> {
  try {
    await installPeers();
  } catch (error) {
    console.log(
      `The peers could not be installed: ${error instanceof Error ? error.message : String(error)}`,
    );
    return [];
  }
  if (name.endsWith('.spdx.json')) return [];
  const lockparse = await loadPeer<Lockparse>('lockparse');
  const type = LOCKPARSE_TYPES[name] ?? 'npm';
  const text = content.toString();
  const subjects: Reader[] = [
    { name: 'lockparse', floor, work: () => lockparse.parse(content.toString(), type) },
  ];
  if (name === 'yarn.lock') subjects.push(await yarnPeer(content, floor));
  if (name === 'yarn.lock' && !text.includes('__metadata:')) return subjects;
  if (name === 'bun.lock') return subjects;
  if (name !== 'package-lock.json') {
    const yaml = await loadPeer<{ load(text: string): unknown }>('js-yaml');
    subjects.push({ name: 'js-yaml', floor, work: () => yaml.load(content.toString()) });
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
    subjects.push({ name: 'snyk-nodejs-lockfile-parser', floor, work });
  }
  return subjects;
}

async function yarnPeer(content: Buffer, floor: string): Promise<Reader> {
  if (content.includes('__metadata:')) {
    const parsers = await loadPeer<{ parseSyml(text: string): unknown }>('@yarnpkg/parsers');
    return { name: '@yarnpkg/parsers', floor, work: () => parsers.parseSyml(content.toString()) };
  }
  const lockfile = await loadPeer<{ parse(text: string): unknown }>('@yarnpkg/lockfile');
  return { name: '@yarnpkg/lockfile', floor, work: () => lockfile.parse(content.toString()) };
}
