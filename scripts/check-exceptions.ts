/*
 * Checks `lockhound exceptions` with the package managers themselves. Takes published packages whose manifests have overrides, and the projects of
 * `check-fixes`, to each of which it adds overrides that it draws. Removes every entry that is judged `removable` by the command that Lockhound
 * advises, runs the package manager, and compares: with the lockfile, nothing may change; without one, no version may come that the entry
 * does not permit. Asks the registry that npm is configured for; without it, nothing is checked, and the output says so.
 *
 *     npm run check-exceptions                 all projects
 *     npm run check-exceptions -- yarn         those whose name contains the text
 *     npm run check-exceptions -- --seed 7     draws other overrides
 *     npm run check-exceptions -- --only-kept  without the resolutions from nothing
 *
 * Exit codes: 0 at most 1 % of the removable entries are wrong, or there is no registry; 1 more; 2 a project could not be checked.
 */
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { z } from 'zod';
import { removalCommand } from '../src/advice/remove-exceptions.ts';
import { startInsightsService } from '../src/embedded/insights/service.ts';
import { readArguments } from './arguments.ts';
import { draw, type LockedPackage, withOverrides } from './check-exceptions/drawn.ts';
import { type ExceptionProject, PUBLISHED } from './check-exceptions/projects.ts';
import { type Bench, withBench } from './check-fixes/bench.ts';
import { readPackage } from './check-fixes/insights.ts';
import { build, INSTALL, LOCKFILES, unpack, YARN_SETTINGS } from './check-fixes/project.ts';
import { type CheckedProject, PROJECTS } from './check-fixes/projects.ts';
import type { Registry } from './check-fixes/registry.ts';
import { run, succeed } from './check-fixes/run.ts';
import type { Environment } from './check-fixes/tools.ts';

const { values, positionals } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    'only-kept': { type: 'boolean', default: false },
  },
});
const PROGRAM = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
const CONCURRENCY = 16;

const exception = z.object({
  kind: z.string(),
  path: z.string(),
  setting: z.string(),
  subject: z.string(),
  package: z.string().optional(),
  value: z.string().optional(),
  verdict: z.string(),
  evidence: z.string(),
});
type Judged = z.infer<typeof exception>;

/** A project whose lockfile its manager writes without a change. */
interface Locked {
  readonly folder: string;
  readonly environment: Environment;
  readonly manager: ExceptionProject['manager'];
}

interface Counts {
  readonly verdicts: Record<string, number>;
  readonly wrong: readonly string[];
}

process.exitCode = await withBench((bench) => main(positionals[0] ?? '', bench));

async function main(wanted: string, bench: Bench): Promise<number> {
  const total: Record<string, number> = {};
  let [wrong, failed] = [0, 0];
  for (const project of [...PUBLISHED, ...PROJECTS].filter(({ name }) => name.includes(wanted))) {
    try {
      const counts = await check(project, bench);
      for (const [verdict, count] of Object.entries(counts.verdicts))
        total[verdict] = (total[verdict] ?? 0) + count;
      wrong += counts.wrong.length;
      console.log(
        [`${project.name}: ${textOf(counts.verdicts)}`, ...counts.wrong.map((one) => `  wrong: ${one}`)].join(
          '\n',
        ),
      );
    } catch (error) {
      failed += 1;
      console.log(`${project.name}: not checked: ${error instanceof Error ? error.message : error}`);
    }
  }
  const { removable = 0 } = total;
  console.log(`all: ${textOf(total)}; ${wrong} of ${removable} removable are wrong`);
  return failed > 0 ? 2 : wrong * 100 > removable ? 1 : 0;
}

function textOf(verdicts: Record<string, number>): string {
  return (
    Object.entries(verdicts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', ') || 'no entry'
  );
}

async function check(project: ExceptionProject | CheckedProject, bench: Bench): Promise<Counts> {
  const { manager } = project;
  const folder = join(bench.folder, project.name.replace(/\W+/g, '-'));
  const environment = {
    ...bench.tools.lockingWith(manager, bench.upstream),
    npm_config_legacy_peer_deps: 'true',
  };
  const locked: Locked = { folder, environment, manager };
  if ('spec' in project) {
    try {
      await lockPublished(locked, project.spec, true);
    } catch {
      // Some have development dependencies that are not published.
      await rm(folder, { recursive: true });
      await lockPublished(locked, project.spec, false);
    }
  } else await build(folder, project, bench);
  await addDrawn(locked, 'spec' in project);
  const judged = await judge(locked, bench.registry);
  const overrides = judged.filter(({ kind }) => kind === 'override');
  const removable = overrides.filter(({ verdict }) => verdict === 'removable');
  const wrong = new Set<string>();
  for (const one of await changedBy(locked, removable, overrides))
    wrong.add(`${nameOf(one)}: the lockfile changes`);
  if (!values['only-kept']) for (const one of await returning(locked, removable, overrides)) wrong.add(one);
  const counts: Record<string, number> = {};
  for (const { verdict } of overrides) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return { verdicts: counts, wrong: [...wrong] };
}

async function lockPublished(project: Locked, spec: string, isWhole: boolean): Promise<void> {
  const { folder, environment, manager } = project;
  await mkdir(folder, { recursive: true });
  await unpack(folder, spec, environment, isWhole);
  if (manager === 'yarn') await writeFile(join(folder, '.yarnrc'), YARN_SETTINGS);
  if (manager === 'yarn-modern') await writeFile(join(folder, 'yarn.lock'), '');
  await lock(project);
}

/** Adds the drawn entries that the manager accepts: where it refuses all together, half of them, and so on. */
async function addDrawn(project: Locked, isWhole: boolean): Promise<void> {
  const { folder, manager } = project;
  const file = join(folder, 'package.json');
  const before = await readFile(file, 'utf8');
  const lockfile = join(folder, LOCKFILES[manager]);
  const kept = await readFile(lockfile, 'utf8');
  let drawn = draw(await packagesOf(project), manager, values.seed).slice(0, isWhole ? 12 : undefined);
  for (;;) {
    await writeFile(file, JSON.stringify(withOverrides(JSON.parse(before), manager, drawn), null, 2));
    try {
      await lock(project);
      // What a second run changes would count as a change by the removal.
      await lock(project);
      return;
    } catch (error) {
      if (drawn.length === 0) throw error;
      drawn = drawn.slice(0, Math.floor(drawn.length / 2));
      await writeFile(lockfile, kept);
    }
  }
}

async function lock({ folder, environment, manager }: Locked): Promise<void> {
  const [program = '', ...args] = INSTALL[manager];
  await succeed(folder, program, args, environment);
}

async function packagesOf({ folder, manager }: Locked): Promise<readonly LockedPackage[]> {
  const { out } = await run(folder, process.execPath, [PROGRAM, 'parse', '--json', LOCKFILES[manager]]);
  const { packages }: { packages: readonly LockedPackage[] } = JSON.parse(out);
  return packages;
}

/** The verdicts of Lockhound, with what the registry says about the locked packages. */
async function judge(project: Locked, registry: Registry): Promise<readonly Judged[]> {
  const names = new Set((await packagesOf(project)).map(({ name }) => name));
  const limit = pLimit(CONCURRENCY);
  const found = await Promise.all([...names].map((name) => limit(() => readPackage(name, registry))));
  const packages = found.filter((one) => one !== undefined);
  const service = await startInsightsService({ data: { packages, advisories: [] } });
  const config = `${project.folder}.yaml`;
  try {
    await writeFile(config, `insights: { url: "${service.url}" }\n`);
    const args = [PROGRAM, 'exceptions', '.', '--json', '--look-up', '--config', config];
    const { out, err } = await run(project.folder, process.execPath, args);
    if (out === '') throw new Error(`lockhound exceptions: ${err}`);
    return z.object({ exceptions: z.array(exception) }).parse(JSON.parse(out)).exceptions;
  } finally {
    await service.close();
  }
}

/** The entries without which the lockfile changes: all at once, and where it changes, each alone. */
async function changedBy(
  project: Locked,
  removed: readonly Judged[],
  all: readonly Judged[],
): Promise<readonly Judged[]> {
  if (removed.length === 0) return [];
  const before = graphOf(await packagesOf(project));
  const changes = async (entries: readonly Judged[]) =>
    before !== graphOf(await packagesOf(await without(project, entries, all, true)));
  if (!(await changes(removed))) return [];
  const guilty: Judged[] = [];
  for (const one of removed) if (await changes([one])) guilty.push(one);
  return guilty.length > 0 ? guilty : removed;
}

/** Versions that come without the entries, and that these do not permit, where the manager resolves from nothing. */
async function returning(
  project: Locked,
  removed: readonly Judged[],
  all: readonly Judged[],
): Promise<readonly string[]> {
  if (removed.length === 0) return [];
  const [before, after] = [
    await packagesOf(await without(project, [], all, false)),
    await packagesOf(await without(project, removed, all, false)),
  ];
  const versions = (packages: readonly LockedPackage[], name: string) =>
    new Set(packages.filter((one) => one.name === name).map(({ version }) => version));
  return removed.flatMap((one) => {
    const { package: name = '', value = '' } = one;
    const known = versions(before, name);
    const isPermitted = (version: string) => validRange(value) !== null && satisfies(version, value);
    const come = [...versions(after, name)].filter(
      (version) => !(known.has(version) || isPermitted(version)),
    );
    return come.map((version) => `${nameOf(one)}: ${version} comes without a lockfile`);
  });
}

/** A copy of a project without entries, after its manager has run. */
async function without(
  project: Locked,
  removed: readonly Judged[],
  all: readonly Judged[],
  isLocked: boolean,
): Promise<Locked> {
  const folder = `${project.folder}.without`;
  await rm(folder, { recursive: true, force: true });
  await cp(project.folder, folder, { recursive: true });
  if (!isLocked) await rm(join(folder, LOCKFILES[project.manager]));
  if (!isLocked && project.manager === 'yarn-modern') await writeFile(join(folder, 'yarn.lock'), '');
  if (removed.length > 0) {
    const command = removalCommand(removed, all);
    if (command === undefined) throw new Error(`no command removes ${removed.map(nameOf).join(', ')}`);
    await succeed(folder, 'sh', ['-c', command]);
  }
  const copy = { ...project, folder };
  await lock(copy);
  return copy;
}

function graphOf(packages: readonly LockedPackage[]): string {
  return packages
    .map(({ id, dependencies = [] }) => `${id}: ${[...dependencies].sort().join(' ')}`)
    .sort()
    .join('\n');
}

function nameOf({ setting, subject, value, evidence }: Judged): string {
  return `${setting} ${subject} → ${value} (${evidence})`;
}
