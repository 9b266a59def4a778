/*
 * Checks the advice of `lockhound fix` with the package managers themselves: lockfiles that applications were published with are scanned
 * against a local package-insights service with what the registry says about their packages and the bundled advisories; the advised commands
 * are run in a copy; the result is scanned again. Prints for each lockfile how many findings the advice clears, how many of them are gone,
 * and which packages are not locked as advised. Asks the registry that npm is configured for; without it, nothing is checked, and the output says so.
 *
 *     npm run check-fixes                    all lockfiles
 *     npm run check-fixes -- appium          those of packages whose name contains the text
 *
 * Exit codes: 0 everything is as advised, or there is no registry; 1 the advice was wrong; 2 a command failed.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply } from './check-fixes/apply.ts';
import { compareScans } from './check-fixes/compare.ts';
import { lockedIn, lockhound } from './check-fixes/lockhound.ts';
import { dataOf } from './check-fixes/npm-cache.ts';
import {
  convert,
  type Environment,
  LOCKFILES,
  type ManagerName,
  PROJECTS,
  type PublishedProject,
  QUIET,
  readLatest,
  unpack,
} from './check-fixes/project.ts';
import { run, succeed } from './check-fixes/run.ts';
import { installTools, withTool } from './check-fixes/tools.ts';

process.exitCode = await main(process.argv[2] ?? '');

async function main(wanted: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'lockhound-fixes-'));
  try {
    if ((await run(folder, 'npm', ['ping'])).code !== 0) {
      console.log('skipped: the registry that npm is configured for does not answer `npm ping`');
      return 0;
    }
    const tools = join(folder, 'tools');
    await installTools(tools);
    const environment = await environmentOf(folder);
    let [isWrong, isFailed] = [false, false];
    for (const project of PROJECTS.filter(({ spec }) => spec.includes(wanted))) {
      const own = join(folder, project.spec);
      await unpack(own, project, environment);
      await readLatest(own, environment);
      for (const manager of project.managers) {
        try {
          isWrong = !(await check(own, { project, manager, tools, environment })) || isWrong;
        } catch (error) {
          isFailed = true;
          console.log(`${project.spec} with ${manager}: ${error instanceof Error ? error.message : error}`);
        }
      }
    }
    if (isFailed) return 2;
    return isWrong ? 1 : 0;
  } finally {
    if (process.env['KEEP_FOLDER'] === undefined) await rm(folder, { recursive: true });
    else console.log(folder);
  }
}

async function environmentOf(folder: string): Promise<Environment> {
  const registry = (await succeed(folder, 'npm', ['config', 'get', 'registry'])).trim();
  return {
    ...QUIET,
    npm_config_cache: cacheIn(folder),
    YARN_CACHE_FOLDER: join(folder, 'yarn-cache'),
    YARN_NPM_REGISTRY_SERVER: registry,
    PATH: process.env['PATH'] ?? '',
  };
}

function cacheIn(folder: string): string {
  return join(folder, 'cache');
}

interface Check {
  readonly project: PublishedProject;
  readonly manager: ManagerName;
  readonly tools: string;
  readonly environment: Environment;
}

/** Whether everything is as advised. */
async function check(source: string, { project, manager, tools, environment }: Check): Promise<boolean> {
  const folder = `${source}-${manager}`;
  await cp(source, folder, { recursive: true });
  const environmentFor = (one: ManagerName) => withTool(tools, one, environment);
  await convert(folder, manager, environmentFor);
  const cache = environment['npm_config_cache'] ?? '';
  const file = join(folder, LOCKFILES[manager]);
  const before = await lockhound(await dataOf(cache), ['fix', '--json', file]);
  const [plan] = before.plans;
  if (plan === undefined) throw new Error('there are no findings');
  await apply(folder, plan.commands, environmentFor(manager));
  const after = await lockhound(await dataOf(cache), ['scan', '--json', '--no-advice', file]);
  const { isAsAdvised, lines } = compareScans({ plan, before, after, locked: await lockedIn(file) });
  console.log(`${project.spec} with ${manager}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  return isAsAdvised;
}
