import { hash } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Moment } from './lockhound.ts';
import { succeed } from './run.ts';

/** The files of a working tree that differ from its commit, by path, with a hash of their content; empty for one that is gone. */
export type Changed = ReadonlyMap<string, string>;

export async function changedIn(folder: string): Promise<Changed> {
  const status = await succeed(folder, 'git', [
    'status',
    '--porcelain',
    '--no-renames',
    '-z',
    '--untracked-files=all',
  ]);
  const paths = status.split('\0').flatMap((line) => line.slice(3) || []);
  const hashes = paths.map(async (path) => {
    const content = await readFile(join(folder, path)).catch(() => undefined);
    return [path, content === undefined ? '' : hash('sha256', content)] as const;
  });
  return new Map(await Promise.all(hashes));
}

/** What a command that was killed left, and the one after it did not restore: each file as it was, or each as a whole run writes it. */
export function outcomeOf(left: Changed, whole: Changed): 'nothing' | 'everything' | 'half' {
  if (left.size === 0) return 'nothing';
  const isWhole = left.size === whole.size && [...left].every(([path, one]) => whole.get(path) === one);
  return isWhole ? 'everything' : 'half';
}

/**
 * When a project's command is killed: by turns some milliseconds after it began to write, and at a share of the time that it takes. The seed
 * selects both.
 */
export function killMoments({ count, seed, folder, lastsMs }: Killing): readonly Moment[] {
  return Array.from({ length: count }, (_, index) => {
    const digits = hash('sha256', `${seed} ${index}`).slice(0, 8);
    const share = Number.parseInt(digits, 16) / 2 ** 32;
    return index % 2 === 0 ? afterWriting(folder, share * MAX_WRITING_MS) : after(share * lastsMs);
  });
}

interface Killing {
  readonly count: number;
  readonly seed: string;
  /** Of the project, with its repository. */
  readonly folder: string;
  /** The time of the whole command. */
  readonly lastsMs: number;
}

/** Files of a project are replaced within this time. */
const MAX_WRITING_MS = 8;

const after =
  (ms: number): Moment =>
  (kill) => {
    const timer = setTimeout(kill, ms);
    return () => clearTimeout(timer);
  };

const afterWriting =
  (folder: string, ms: number): Moment =>
  (kill) => {
    const watcher = watch(join(folder, '.git'), (_event, file) => {
      if (file !== 'lockhound-fix') return;
      watcher.close();
      setTimeout(kill, ms);
    });
    return () => watcher.close();
  };
