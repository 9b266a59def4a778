import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The package as it is published, without its declarations. */
export const BUILT = join(ROOT, 'node_modules/.cache/built');

/** The command line for tests that start processes: the bundle starts in half the time of the sources. */
export const MAIN = join(BUILT, 'dist/bundle/cli.js');

/** What the bundle reads beside itself. */
const READ = ['apis', 'data', 'examples', 'package.json', 'schemas', 'scripts'];
const MADE_OF = ['src', 'web', 'scripts', 'apis', 'package.json', 'package-lock.json'];

/** Writes what the sources import and is generated, and builds the bundle, so that a fresh clone and a change need no other command. */
export function setup(): void {
  run('scripts/generate.ts', '--code');
  mkdirSync(BUILT, { recursive: true });
  for (const name of READ)
    if (!existsSync(join(BUILT, name))) symlinkSync(join(ROOT, name), join(BUILT, name));
  // Node would run a linked program where it really is.
  cpSync(join(ROOT, 'bin'), join(BUILT, 'bin'), { recursive: true });
  // The build writes it last.
  const builtAt = changedAt(join(BUILT, 'dist/bundle/help.txt'));
  if (MADE_OF.some((name) => changedAt(join(ROOT, name)) > builtAt)) build();
}

/** Replaces the bundle at once: other tests may be starting processes of it. */
function build(): void {
  const next = mkdtempSync(`${BUILT}-`);
  run('scripts/build.ts', next);
  rmSync(join(BUILT, 'dist'), { recursive: true, force: true });
  renameSync(join(next, 'dist'), join(BUILT, 'dist'));
  rmSync(next, { recursive: true });
}

function run(...args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

/** Returns when a file, or anything in a folder, was changed last, in ms since 1970; 0 for one that does not exist. */
function changedAt(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status?.isDirectory() !== true) return status?.mtimeMs ?? 0;
  return Math.max(status.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
