import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from './run-command.ts';

/** Files for benches that are not in the repository; ignored by git. */
export const BENCH_FOLDER = join(import.meta.dirname, '..', '.bench');
const FOLDER = join(BENCH_FOLDER, 'peers');

/** Other readers of the same files, in the versions of the published figures. */
const PEERS: Readonly<Record<string, string>> = {
  lockparse: '0.5.2',
  '@yarnpkg/lockfile': '1.1.0',
  '@yarnpkg/parsers': '3.1.0',
  'js-yaml': '4.1.1',
  'snyk-nodejs-lockfile-parser': '2.10.4',
};

/** Installs the peers, once. */
export async function installPeers(): Promise<void> {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(
    join(FOLDER, 'package.json'),
    JSON.stringify({ name: 'peers', private: true, dependencies: PEERS }),
  );
  await runCommand('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], FOLDER);
}

/** Loads an installed peer. */
export async function loadPeer<T>(name: string): Promise<T> {
  const require = createRequire(join(FOLDER, 'package.json'));
  const loaded = (await import(pathToFileURL(require.resolve(name)).href)) as T & { readonly default?: T };
  return loaded.default ?? loaded;
}
