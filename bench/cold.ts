import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRatios } from './cold-ratios.ts';
import { median } from './median.ts';
import { installPeers, PEER_FOLDER } from './peers.ts';
import { type Command, timeInTurn } from './processes.ts';
import { syntheticPackageLock } from './synthetic-package-lock.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = 6_500;
const SMALL = { lockfileVersion: 3, packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } };

/** A command of Lockhound, and how many times as long as `floor` it may take. */
interface Subject extends Command {
  readonly floor?: string;
  readonly limit?: number;
}

/**
 * Times whole processes: commands of the bundle with an empty and a warm compile cache, Node doing the least, and peers. All run
 * in turn, so that a busy machine is busy for all alike. `--check` compares with the recorded ratios, without peers;
 * `--record` records them; `--output <file>` writes JSON.
 */
export async function run(args: readonly string[]): Promise<void> {
  if (!existsSync(join(ROOT, 'dist/bundle')))
    throw new Error('there is no bundle: run `npm run build` first');
  const isShort = args.includes('--check');
  const folder = mkdtempSync(join(tmpdir(), 'bench-cold-'));
  try {
    const subjects = [...commandsIn(folder), ...(isShort ? [] : await peers(folder))];
    const rows = rowsOf(subjects, await timeInTurn(subjects, isShort ? 9 : 15));
    for (const row of rows) console.log(rowText(row));
    const file = args[args.indexOf('--output') + 1];
    if (args.includes('--output') && file !== undefined)
      writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
    const check = isShort || args.includes('--record');
    if (check) await checkRatios(rows, args.includes('--record') ? 'record' : 'compare');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function commandsIn(folder: string): readonly Subject[] {
  const small = join(folder, 'small/package-lock.json');
  const large = join(folder, 'large/package-lock.json');
  for (const name of ['small', 'large']) mkdirSync(join(folder, name));
  writeFileSync(small, JSON.stringify(SMALL));
  writeFileSync(large, syntheticPackageLock(PACKAGES));
  const least = `JSON.parse(require('fs').readFileSync(${JSON.stringify(large)}, 'utf8'))`;
  const caches = ['warm', 'empty'].flatMap((cache): readonly Subject[] => {
    const installed = install(join(folder, cache));
    const prepare = () => rmSync(join(installed, 'dist/compile-cache'), { recursive: true, force: true });
    const command = (name: string, floor: string, limit: number, ...args: readonly string[]): Subject => ({
      name: `lockhound ${name}, ${cache} cache`,
      args: [join(installed, 'bin/lockhound.js'), ...args],
      floor,
      limit,
      ...(cache === 'empty' ? { prepare } : {}),
    });
    return [
      command('--version', NOTHING, 1.4, '--version'),
      command('--help', NOTHING, 1.6, '--help'),
      command('parse, 1 package', NOTHING, 2, 'parse', small, '--json'),
      command(`parse, ${PACKAGES} packages`, LEAST, 2, 'parse', large, '--json'),
    ];
  });
  return [{ name: NOTHING, args: ['-e', '0'] }, { name: LEAST, args: ['-e', least] }, ...caches];
}

const NOTHING = 'node -e 0';
const LEAST = 'node: read and JSON.parse';

/** The package as it is installed, with a compile cache of its own. */
function install(folder: string): string {
  for (const part of ['package.json', 'bin', 'dist/bundle']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function peers(folder: string): Promise<readonly Subject[]> {
  await installPeers();
  const large = JSON.stringify(join(folder, 'large/package-lock.json'));
  const text = `require('fs').readFileSync(${large}, 'utf8')`;
  const program = (name: string, code: string): Subject => {
    const file = join(PEER_FOLDER, `${name}.cjs`);
    writeFileSync(file, code);
    return { name, args: [file], floor: LEAST };
  };
  const options =
    '{ includeDevDeps: true, includeOptionalDeps: true, pruneCycles: true, strictOutOfSync: false }';
  return [
    program('lockparse', `import('lockparse').then(({ parse }) => parse(${text}, 'npm'))`),
    program(
      'snyk-nodejs-lockfile-parser',
      `const text = ${text}; const root = JSON.stringify(JSON.parse(text).packages['']);
      require('snyk-nodejs-lockfile-parser').parseNpmLockV2Project(root, text, ${options})`,
    ),
  ];
}

export interface Row {
  readonly name: string;
  readonly medianMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly floor?: string;
  readonly limit?: number;
  /** Median of the ratios within a round, and the ratio of the shortest times. */
  readonly ratio?: number;
  readonly leastRatio?: number;
}

function rowsOf(subjects: readonly Subject[], times: ReadonlyMap<string, readonly number[]>): readonly Row[] {
  return subjects.map(({ name, floor, limit }) => {
    const own = times.get(name) ?? [];
    const [medianMs, leastMs, mostMs] = [median(own), Math.min(...own), Math.max(...own)];
    const row = { name, medianMs, leastMs, mostMs };
    if (floor === undefined) return row;
    const base = times.get(floor) ?? [];
    const ratio = median(own.map((time, round) => time / (base[round] ?? Number.NaN)));
    const rated = { ...row, floor, ratio, leastRatio: leastMs / Math.min(...base) };
    return limit === undefined ? rated : { ...rated, limit };
  });
}

function rowText({ name, medianMs, leastMs, mostMs, floor, limit, ratio, leastRatio }: Row): string {
  const times = `${medianMs.toFixed(0).padStart(6)} ms (${leastMs.toFixed(0)} to ${mostMs.toFixed(0)})`;
  if (ratio === undefined || leastRatio === undefined) return `${name.padEnd(42)} ${times}`;
  const aim = limit === undefined ? '' : `, limit ${limit}`;
  const rated = `${ratio.toFixed(2)} × ${floor} (shortest times: ${leastRatio.toFixed(2)}${aim})`;
  return `${name.padEnd(42)} ${times.padEnd(26)} ${rated}`;
}
