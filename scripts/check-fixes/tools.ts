import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { succeed } from './run.ts';

/** A package manager with which a project is checked. `yarn`: Yarn 1; `yarn-modern`: Yarn 4. */
export type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'yarn-modern' | 'bun';

export type Environment = Readonly<Record<string, string>>;

/** The package with the program of Bun: that of the package `bun` comes by a script. */
const BUN = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : 'x64-baseline'}`;
const SHARED = ['pnpm@10', 'yarn@1', `${BUN}@1`];
const MODERN = '@yarnpkg/cli-dist@4';

/** No scripts of packages run, and no command asks or reports anything. */
const QUIET: Environment = {
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_omit_lockfile_registry_resolved: 'false',
  // Messages are read, also below `npm run --silent`.
  npm_config_loglevel: 'warn',
  // What the registry does not have is not waited for.
  npm_config_fetch_retries: '1',
  YARN_NETWORK_CONCURRENCY: '16',
  YARN_ENABLE_SCRIPTS: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  YARN_NODE_LINKER: 'node-modules',
  YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
  CI: 'true',
};

/** Only lockfiles are written. */
const LOCK_ONLY: Environment = {
  npm_config_package_lock_only: 'true',
  npm_config_lockfile_only: 'true',
  YARN_MODE: 'update-lockfile',
  BUN_MODE: '--lockfile-only',
};

/** The package managers, installed into a folder. */
export interface Tools {
  /** The environment in which a manager is found and uses a registry. */
  with(manager: ManagerName, registry: string): Environment;
  /** The same; commands that can write a lockfile alone do so. */
  lockingWith(manager: ManagerName, registry: string): Environment;
}

/**
 * Both releases of Yarn have the same name: each has its own folder. `cache`: a folder for the archives that the managers download. `answers`: one
 * for what registries answer, which Yarn 4 and pnpm keep by the host alone.
 */
export async function installTools(folder: string, cache: string, answers: string): Promise<Tools> {
  const modern = join(folder, 'modern');
  await mkdir(join(modern, 'bin'), { recursive: true });
  for (const [prefix, packages] of [
    [folder, SHARED],
    [modern, [MODERN]],
  ] as const) {
    await succeed(folder, 'npm', [
      'install',
      '--prefix',
      prefix,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      ...packages,
    ]);
  }
  const program = join(modern, 'node_modules', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');
  const wrapper = join(modern, 'bin', 'yarn');
  await writeFile(wrapper, lockOnly(program));
  await chmod(wrapper, 0o755);
  const bun = join(folder, 'bun');
  await mkdir(bun, { recursive: true });
  await writeFile(join(bun, 'bun'), withoutScripts(join(folder, 'node_modules', BUN, 'bin', 'bun')));
  await chmod(join(bun, 'bun'), 0o755);
  const folders: Partial<Record<ManagerName, string>> = { 'yarn-modern': join(modern, 'bin'), bun };
  const using = (manager: ManagerName, registry: string): Environment => ({
    ...QUIET,
    npm_config_registry: registry,
    npm_config_cache: join(cache, 'npm'),
    npm_config_store_dir: join(cache, 'pnpm'),
    npm_config_cache_dir: join(answers, encodeURIComponent(registry)),
    YARN_GLOBAL_FOLDER: join(answers, encodeURIComponent(registry)),
    YARN_REGISTRY: registry,
    YARN_CACHE_FOLDER: join(cache, manager),
    YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, ''),
    BUN_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(answers, encodeURIComponent(registry), 'bun'),
    PATH: `${folders[manager] ?? join(folder, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`,
  });
  return {
    with: using,
    lockingWith: (manager, registry) => ({ ...using(manager, registry), ...LOCK_ONLY }),
  };
}

/** Yarn 2 and later have an option and no setting for writing the lockfile alone. */
function lockOnly(program: string): string {
  return `#!/bin/sh
mode="$YARN_MODE"; unset YARN_MODE
case "$mode $1" in
  'update-lockfile install' | 'update-lockfile up') exec node '${program}' "$@" --mode=update-lockfile ;;
  *) exec node '${program}' "$@" ;;
esac
`;
}

/** Bun has options and no settings for running no scripts and for writing the lockfile alone. */
function withoutScripts(program: string): string {
  return `#!/bin/sh
mode="$BUN_MODE"; unset BUN_MODE
case "$1" in
  install | add) exec '${program}' "$@" --ignore-scripts $mode ;;
  *) exec '${program}' "$@" ;;
esac
`;
}
