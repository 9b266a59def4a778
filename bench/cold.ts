import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmPeers, pnpmPeers } from './peer-processes.ts';
import { type Command, timeProcesses } from './processes.ts';
import { rowsOf, type Subject, type Table } from './rows.ts';
import { syntheticLockfiles } from './synthetic-lockfiles.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = 6_500;
const SMALL = { lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } };

type TimedCommand = Command & Subject;

/**
 * Times whole processes: commands of the bundle with an empty and a warm compile cache, Node doing the least, and peers. All run
 * in turn, so that a busy machine is busy for all alike.
 */
export async function* measure(_args: readonly string[], isShort: boolean): AsyncIterable<Table> {
  if (!existsSync(join(ROOT, 'dist/bundle')))
    throw new Error('there is no bundle: run `npm run build` first');
  const folder = mkdtempSync(join(tmpdir(), 'bench-cold-'));
  try {
    const files = writeFiles(folder);
    const peers = isShort ? [] : await npmPeers(files.large, LEAST);
    yield await tableOf('whole processes', [...commandsIn(folder, files), ...peers], isShort ? 9 : 15);
    const pnpm = await pnpmCommands(folder, isShort);
    yield await tableOf(`whole processes: pnpm-lock, ${PACKAGES} packages`, pnpm, isShort ? 9 : 15);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function tableOf(title: string, commands: readonly TimedCommand[], rounds: number): Promise<Table> {
  return { title, rows: rowsOf(commands, await timeProcesses(commands, rounds)) };
}

interface Files {
  readonly small: string;
  /** The first packages of the example, which the bundled data know. */
  readonly few: string;
  readonly large: string;
}

function writeFiles(folder: string): Files {
  const small = join(folder, 'small/package-lock.json');
  const few = join(folder, 'few/package-lock.json');
  const large = join(folder, 'large/package-lock.json');
  for (const name of ['small', 'few', 'large']) mkdirSync(join(folder, name));
  writeFileSync(small, JSON.stringify(SMALL));
  writeFileSync(few, JSON.stringify(firstPackages(20)));
  writeFileSync(large, syntheticPackageLock(PACKAGES));
  return { small, few, large };
}

function firstPackages(count: number): object {
  const text = readFileSync(join(ROOT, 'examples/shop/package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: object };
  const first = Object.entries(packages).slice(0, count + 1);
  return { lockfileVersion: 3, packages: Object.fromEntries(first) };
}

function commandsIn(folder: string, { small, few, large }: Files): readonly TimedCommand[] {
  const least = `JSON.parse(require('fs').readFileSync(${JSON.stringify(large)}, 'utf8'))`;
  const caches = ['warm', 'empty'].flatMap((cache): readonly TimedCommand[] => {
    const installed = install(join(folder, cache));
    const prepare = () => rmSync(join(installed, 'dist/compile-cache'), { recursive: true, force: true });
    const command = (name: string, floor: string, aim: number, ...args: readonly string[]): TimedCommand => ({
      name: `lockhound ${name}, ${cache} cache`,
      args: [join(installed, 'bin/lockhound.js'), ...args],
      floor,
      aim,
      isChecked: true,
      ...(cache === 'empty' ? { prepare } : {}),
    });
    return [
      command('--version', NOTHING, 1.4, '--version'),
      command('--help', NOTHING, 1.6, '--help'),
      command('parse, 1 package', NOTHING, 2, 'parse', small, '--json'),
      command(`parse, ${PACKAGES} packages`, LEAST, 2, 'parse', large, '--json'),
      command('scan, 20 packages', NOTHING, 2.5, 'scan', few, '--local', '--json', '--fail-on', 'never'),
    ];
  });
  return [{ name: NOTHING, args: ['-e', '0'] }, { name: LEAST, args: ['-e', least] }, ...caches];
}

/** Lockhound reading a pnpm-lock; with peers, unless it is a short run. */
async function pnpmCommands(folder: string, isShort: boolean): Promise<readonly TimedCommand[]> {
  const file = join(folder, 'pnpm/pnpm-lock.yaml');
  mkdirSync(join(folder, 'pnpm'));
  writeFileSync(file, syntheticLockfiles(PACKAGES).get('pnpm/pnpm-lock.yaml') ?? '');
  const pass = `require('fs').readFileSync(${JSON.stringify(file)}, 'utf8').match(/^ {2}\\S+@[^:]+:/gm).length`;
  const floor = 'node: one pass for its keys';
  return [
    { name: floor, args: ['-e', pass] },
    {
      name: 'lockhound parse, warm cache',
      args: [join(folder, 'warm/bin/lockhound.js'), 'parse', file, '--json'],
      floor,
      isChecked: true,
    },
    ...(isShort ? [] : await pnpmPeers(file, floor)),
  ];
}

const NOTHING = 'node -e 0';
const LEAST = 'node: read and JSON.parse';

/** The package as it is installed, with a compile cache of its own. */
function install(folder: string): string {
  for (const part of ['package.json', 'bin', 'dist/bundle', 'apis', 'data']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
