import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './run-command.ts';

/** Files for benches that are not in the repository; ignored by git. */
export const BENCH_FOLDER = join(import.meta.dirname, '..', '.bench');
/** Peers are installed here; programs that load them have to lie here, too. */
export const PEER_FOLDER = join(BENCH_FOLDER, 'peers');

const LIST = join(import.meta.dirname, 'package.json');

/** Installs the peers in the listed versions, once. */
export async function installPeers(): Promise<void> {
  const listed = await readFile(LIST, 'utf8');
  // Written last, so that it means that the installation succeeded.
  const installed = join(PEER_FOLDER, 'installed.json');
  if (existsSync(installed) && (await readFile(installed, 'utf8')) === listed) return;
  await mkdir(PEER_FOLDER, { recursive: true });
  await copyFile(LIST, join(PEER_FOLDER, 'package.json'));
  await runCommand('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], PEER_FOLDER);
  await writeFile(installed, listed);
}

/** Loads an installed peer. */
export async function loadPeer<T>(name: string): Promise<T> {
  const require = createRequire(join(PEER_FOLDER, 'package.json'));
  const loaded = (await import(pathToFileURL(require.resolve(name)).href)) as T & { readonly default?: T };
  return loaded.default ?? loaded;
}
