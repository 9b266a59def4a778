import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import compareVersions from 'semver/functions/compare.js';
import minVersion from 'semver/ranges/min-version.js';
import validRange from 'semver/ranges/valid.js';
import { z } from 'zod';
import type { CheckedProject } from './projects.ts';
import type { Registry } from './registry.ts';
import { succeed } from './run.ts';
import type { Environment, ManagerName, Tools } from './tools.ts';

export const LOCKFILES: Readonly<Record<ManagerName, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  yarn: 'yarn.lock',
  'yarn-modern': 'yarn.lock',
  bun: 'bun.lock',
};

export const INSTALL: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ['npm', 'install'],
  pnpm: ['pnpm', 'install'],
  yarn: ['yarn', 'install'],
  'yarn-modern': ['yarn', 'install'],
  bun: ['bun', 'install'],
};

/** Locks what a lockfile of another manager locks, or the own one. */
const TAKE_OVER: typeof INSTALL = { ...INSTALL, pnpm: ['pnpm', 'import'] };

const INSTALL_LOCKED: Readonly<Record<ManagerName, readonly string[]>> = {
  npm: ['npm', 'ci'],
  pnpm: ['pnpm', 'install', '--frozen-lockfile'],
  yarn: ['yarn', 'install', '--frozen-lockfile'],
  'yarn-modern': ['yarn', 'install', '--immutable'],
  bun: ['bun', 'install', '--frozen-lockfile'],
};

/** A project in a folder. */
export interface Built {
  readonly folder: string;
  /** The folder of the application that is started. */
  readonly application: string;
  readonly lockfile: string;
}

/**
 * Writes a project into a folder: published packages, without scripts and development dependencies, and the lockfile that the archive has or that
 * the package manager writes with the smallest versions that the manifests permit.
 */
export async function build(
  folder: string,
  project: CheckedProject,
  {
    tools,
    registry,
    upstream,
  }: { readonly tools: Tools; readonly registry: Registry; readonly upstream: string },
): Promise<Built> {
  const { manager, members, isPublished = false } = project;
  await mkdir(folder, { recursive: true });
  const [first = ''] = members;
  const isWorkspace = members.length > 1;
  const folderOf = (spec: string) =>
    isWorkspace ? join(folder, 'packages', spec.replace(/@[^@]*$/, '')) : folder;
  for (const spec of members) await unpack(folderOf(spec), spec, tools.with('npm', upstream));
  if (isWorkspace) await writeWorkspace(folder, manager);
  if (manager === 'yarn') await writeFile(join(folder, '.yarnrc'), YARN_SETTINGS);
  // Without it, Yarn takes the folder above for the project.
  if (manager === 'yarn-modern' && !isPublished) await writeFile(join(folder, 'yarn.lock'), '');
  const lockfile = join(folder, LOCKFILES[manager]);
  if (isPublished) await runIn(folder, TAKE_OVER[manager], tools.lockingWith(manager, upstream));
  else {
    const last = await smallestRequired(members.map(folderOf));
    const view = await lockSmallest(folder, manager, { tools, registry, last });
    await writeFile(lockfile, withoutView(await readFile(lockfile, 'utf8'), view, upstream));
  }
  return { folder, application: folderOf(first), lockfile };
}

/** Installs exactly what is locked. */
export async function installLocked(
  { folder }: Built,
  manager: ManagerName,
  environment: Environment,
): Promise<void> {
  await runIn(folder, INSTALL_LOCKED[manager], environment);
}

async function runIn(
  folder: string,
  [program = '', ...args]: readonly string[],
  environment: Environment,
): Promise<void> {
  await succeed(folder, program, args, environment);
}

/** Writes a published package into a folder, without its scripts and workspaces. `isWhole`: with its development dependencies. */
export async function unpack(
  folder: string,
  spec: string,
  environment: Environment,
  isWhole = false,
): Promise<void> {
  const scratch = `${folder}.packed`;
  await mkdir(scratch, { recursive: true });
  await succeed(scratch, 'npm', ['pack', spec], environment);
  const archive = (await readdir(scratch)).find((name) => name.endsWith('.tgz')) ?? '';
  await succeed(scratch, 'tar', ['-xzf', archive]);
  await rm(join(scratch, archive));
  const [unpacked = ''] = await readdir(scratch);
  await cp(join(scratch, unpacked), folder, { recursive: true });
  await rm(scratch, { recursive: true });
  const shrinkwrap = join(folder, 'npm-shrinkwrap.json');
  if (await exists(shrinkwrap)) await rename(shrinkwrap, join(folder, LOCKFILES.npm));
  const file = join(folder, 'package.json');
  const manifest = z.looseObject({}).parse(JSON.parse(await readFile(file, 'utf8')));
  const {
    scripts: _scripts,
    devDependencies,
    workspaces: _others,
    packageManager: _tool,
    ...kept
  } = manifest;
  const whole = isWhole && devDependencies !== undefined ? { ...kept, devDependencies } : kept;
  await writeFile(file, JSON.stringify({ ...whole, private: true }, null, 2));
}

/** What package managers say of a requirement that no version satisfies. */
const UNSATISFIED = /(?:version found for |versions for "|found for specifier ")(@?[^@\s"]+)[@"][^\n]*/;
const NO_CANDIDATES = /No candidates found/;
const REQUIRED = /(?<![^@\s"])(@?[^@\s"]+)@/;

/**
 * Locks in a view of the registry and returns its URL. Where another package requires a later version than `last` has, the view has all versions
 * of that package.
 */
async function lockSmallest(
  folder: string,
  manager: ManagerName,
  {
    tools,
    registry,
    last,
  }: { readonly tools: Tools; readonly registry: Registry; readonly last: ReadonlyMap<string, string> },
): Promise<string> {
  const addresses = manager === 'npm' || manager === 'yarn' ? 'public' : 'own';
  const url = registry.urlOf({ last, addresses });
  try {
    await runIn(folder, INSTALL[manager], tools.lockingWith(manager, url));
    return url;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const none = message.split('\n').find((line) => NO_CANDIDATES.test(line));
    const [, name = ''] = (none === undefined ? UNSATISFIED.exec(message) : REQUIRED.exec(none)) ?? [];
    if (!last.has(name)) throw error;
    const others = new Map([...last].filter(([one]) => one !== name));
    return await lockSmallest(folder, manager, { tools, registry, last: others });
  }
}

/** A lockfile whose archives are those of the registry. Yarn 4 writes the addresses of archives that it does not expect. */
function withoutView(text: string, view: string, upstream: string): string {
  const [head = '', ...others] = text.split(`::__archiveUrl=${encodeURIComponent(view)}`);
  const expected = head + others.map((part) => part.slice(part.indexOf('"'))).join('');
  return expected.replaceAll(view, upstream);
}

/** The smallest versions of what manifests require, by name; where they differ, the greatest of them. */
async function smallestRequired(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const smallest = new Map<string, string>();
  for (const folder of folders) {
    const { dependencies } = manifestOf.parse(
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
    );
    for (const [name, range] of Object.entries(dependencies)) {
      const least = validRange(range) === null ? null : minVersion(range);
      const known = smallest.get(name);
      if (least === null || (known !== undefined && compareVersions(known, least.version) > 0)) continue;
      smallest.set(name, least.version);
    }
  }
  return smallest;
}

const manifestOf = z.looseObject({ dependencies: z.record(z.string(), z.string()).default({}) });

async function writeWorkspace(folder: string, manager: ManagerName): Promise<void> {
  const root = {
    name: 'workspace',
    version: '1.0.0',
    private: true,
    ...(manager === 'pnpm' ? {} : { workspaces: ['packages/*'] }),
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(root, null, 2));
  if (manager === 'pnpm') await writeFile(join(folder, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n');
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

/** For Yarn 1. */
export const YARN_SETTINGS = ['install', 'upgrade', 'import']
  .map(
    (name) =>
      `--${name}.ignore-scripts true\n--${name}.ignore-engines true\n--${name}.non-interactive true\n`,
  )
  .join('');
