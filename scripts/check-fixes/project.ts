import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { succeed } from './run.ts';

/** A package manager with which a project is checked. `yarn`: Yarn 1; `yarn-modern`: the newest one. */
export type ManagerName = 'npm' | 'pnpm' | 'yarn' | 'yarn-modern';

/** A lockfile that an application was published with. */
export interface PublishedProject {
  /** Name and version of the package. */
  readonly spec: string;
  readonly managers: readonly ManagerName[];
}

/** Applications of 2019 to 2021 whose archives have the lockfile that they were tested with. */
export const PROJECTS: readonly PublishedProject[] = [
  { spec: 'serverless@1.40.0', managers: ['npm', 'pnpm', 'yarn', 'yarn-modern'] },
  { spec: 'appcenter-cli@2.7.0', managers: ['npm', 'pnpm', 'yarn', 'yarn-modern'] },
  { spec: 'appium@1.15.0', managers: ['npm'] },
  { spec: 'appium@1.20.0', managers: ['npm'] },
  { spec: 'aws-cdk@1.90.0', managers: ['npm'] },
];

export const LOCKFILES: Readonly<Record<ManagerName, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  yarn: 'yarn.lock',
  'yarn-modern': 'yarn.lock',
};

/** Nothing of a project is run, and nothing but lockfiles is written. */
export const QUIET: Readonly<Record<string, string>> = {
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_package_lock_only: 'true',
  npm_config_lockfile_only: 'true',
  npm_config_update_notifier: 'false',
  // What the registry does not have is not waited for.
  npm_config_fetch_retries: '0',
  YARN_ENABLE_SCRIPTS: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
};

const LOCK_ONLY = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Unpacks a published project into a folder, as a user of the given package manager has it: the manifest without scripts and development
 * dependencies, and its lockfile in the present format with the versions of that time.
 */
export async function unpack(
  folder: string,
  { spec }: PublishedProject,
  environment: Environment,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await succeed(folder, 'npm', ['pack', spec, '--pack-destination', folder], environment);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '';
  await succeed(folder, 'tar', ['-xzf', archive]);
  const unpacked = join(folder, 'package');
  const lockfile = (await readdir(unpacked)).find((name) =>
    /^(npm-shrinkwrap|package-lock)\.json$/.test(name),
  );
  if (lockfile === undefined) throw new Error(`${spec} was published without a lockfile`);
  await rename(join(unpacked, lockfile), join(folder, 'package-lock.json'));
  const manifest = z
    .looseObject({})
    .parse(JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')));
  const { scripts: _scripts, devDependencies: _forDevelopment, ...kept } = manifest;
  await writeFile(join(folder, 'package.json'), JSON.stringify(kept, null, 2));
  await rm(unpacked, { recursive: true });
  await rm(join(folder, archive));
  await cp(join(folder, 'package-lock.json'), join(folder, 'published-lock.json'));
  await succeed(folder, 'npm', LOCK_ONLY, environment);
}

export type Environment = Readonly<Record<string, string>>;

/** Lets npm read what the registry has about the dependencies of today, so that its cache knows more than the locked versions. */
export async function readLatest(folder: string, environment: Environment): Promise<void> {
  const scratch = join(folder, 'latest');
  await mkdir(scratch);
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const manifest = z
    .looseObject({ dependencies: z.record(z.string(), z.string()).default({}) })
    .parse(JSON.parse(text));
  const latest = Object.keys(manifest.dependencies).map((name) => [name, 'latest']);
  for (const dependencies of [manifest.dependencies, Object.fromEntries(latest)]) {
    await writeFile(join(scratch, 'package.json'), JSON.stringify({ dependencies }));
    await succeed(scratch, 'npm', [...LOCK_ONLY, '--legacy-peer-deps'], environment);
    await rm(join(scratch, 'package-lock.json'));
  }
  await rm(scratch, { recursive: true });
}

/** Turns the lockfile of npm into that of another package manager, with the same versions. */
export async function convert(
  folder: string,
  manager: ManagerName,
  environmentFor: (manager: ManagerName) => Environment,
): Promise<void> {
  if (manager === 'npm') return;
  if (manager === 'yarn-modern') {
    // It imports lockfiles of Yarn 1 only.
    await convert(folder, 'yarn', environmentFor);
    await succeed(folder, 'yarn', ['install'], environmentFor(manager));
    return;
  }
  // Yarn imports old lockfiles of npm only.
  if (manager === 'yarn') await cp(join(folder, 'published-lock.json'), join(folder, 'package-lock.json'));
  if (manager === 'yarn') await writeFile(join(folder, '.yarnrc'), YARN_SETTINGS);
  await succeed(folder, manager, ['import'], environmentFor(manager));
  await rm(join(folder, 'package-lock.json'));
}

const YARN_SETTINGS = ['install', 'upgrade', 'import']
  .map(
    (name) =>
      `--${name}.ignore-scripts true\n--${name}.ignore-engines true\n--${name}.non-interactive true\n`,
  )
  .join('');
