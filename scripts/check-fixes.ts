/*
 * Checks the advice of `lockhound fix` with the package managers themselves. Builds projects from published applications with the lockfiles of
 * their time, scans them against a local package-insights service with what the registry says about their packages and the bundled advisories,
 * runs the advised commands as one script under `set -e`, scans again, installs what is locked and starts the application. Asks the registry that
 * npm is configured for; without it, nothing is checked, and the output says so.
 *
 *     npm run check-fixes                         all projects
 *     npm run check-fixes -- yarn                 those whose name contains the text
 *     npm run check-fixes -- --missing-graphs 7   a third of all dependency graphs is missing, selected by this seed
 *     npm run check-fixes -- --program <file>     the main file of another version of Lockhound
 *     npm run check-fixes -- --advisories <file>  further advisories, in the form of `data/insights/advisories.json`
 *     npm run check-fixes -- --apply              `lockhound fix --apply` makes the changes, after a check that fails and one that succeeds
 *     npm run check-fixes -- --apply --kills 5    before that, it is killed with SIGKILL at five moments, which `--seed` selects (default: 1):
 *                                             every other one while it writes
 *     npm run check-fixes -- --keep               the projects stay in a temporary folder
 *
 * Upgrades to other major lines are made and counted after the others. The application does not have to start with them.
 *
 * Exit codes: 0 every finding that the advice clears is gone, none is new, and every application starts, or there is no registry; 1 not so; 2 a
 * check failed.
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compareWithPlan, type PlanOutcome } from '../src/advice/compare-with-plan.ts';
import { type AdvisoryFact, readBundledData } from '../src/embedded/insights/data-set.ts';
import { readArguments } from './arguments.ts';
import { apply } from './check-fixes/apply.ts';
import { type Bench, withBench } from './check-fixes/bench.ts';
import { dataAbout } from './check-fixes/insights.ts';
import { type Changed, changedIn, killMoments, outcomeOf } from './check-fixes/kills.ts';
import { killedAt, lockedIn, lockhound, type Part, type Report } from './check-fixes/lockhound.ts';
import { type Built, build, installLocked } from './check-fixes/project.ts';
import { type CheckedProject, PROJECTS } from './check-fixes/projects.ts';
import { run, succeed } from './check-fixes/run.ts';

const { values, positionals } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    'missing-graphs': { type: 'string' },
    program: { type: 'string', default: join(import.meta.dirname, '..', 'bin', 'lockhound.js') },
    advisories: { type: 'string' },
    apply: { type: 'boolean', default: false },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
/** What the commands of a plan, or those of its upgrades to other major lines, came to. */
interface Applied extends PlanOutcome {
  readonly script: 'ends' | 'fails' | 'none';
  readonly starts: boolean;
}

process.exitCode = await withBench((bench) => main(positionals[0] ?? '', bench), { keep: values.keep });

async function main(wanted: string, bench: Bench): Promise<number> {
  const exact = PROJECTS.filter(({ name }) => name === wanted);
  const projects = exact.length > 0 ? exact : PROJECTS.filter(({ name }) => name.includes(wanted));
  const exits: number[] = [];
  const tell = values.apply ? applyAndTell : checkAndTell;
  for (const project of projects) exits.push(await tell(project, bench));
  return Math.max(0, ...exits);
}

/** Lets `fix --apply` make the changes of a project: once with a check that fails, once with one that succeeds. */
async function applyAndTell(project: CheckedProject, bench: Bench): Promise<number> {
  const { tools, registry, upstream } = bench;
  const { program, 'missing-graphs': seed } = values;
  try {
    const { folder, lockfile } = await build(join(bench.folder, project.name, 'project'), project, bench);
    const data = await dataAbout(await lockedIn(program, lockfile), await advisories(), registry);
    const git = (...args: string[]) =>
      succeed(folder, 'git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
    await writeFile(join(folder, '.gitignore'), 'node_modules\n.yarn/install-state.gz\n');
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '--message=before');
    const apply = (...args: string[]) =>
      lockhound(
        { program, data, seed },
        ['fix', '--apply', '--json', ...args, folder],
        tools.with(project.manager, upstream),
      );
    await apply('--check', 'false');
    // The managers have downloaded everything now, as for those that are killed.
    const startedAt = performance.now();
    await apply('--check', 'false');
    const lastsMs = performance.now() - startedAt;
    const untouched = (await git('status', '--porcelain')) === '';
    const left: Changed[] = [];
    let kills = 0;
    for (const moment of killMoments({
      count: Number(values.kills),
      seed: `${values.seed} ${project.name}`,
      folder,
      lastsMs,
    })) {
      const args = ['fix', '--apply', '--check', 'true', folder];
      const environment = tools.with(project.manager, upstream);
      if (await killedAt(moment, folder, { program, data, seed }, args, environment)) {
        kills += 1;
        // The next command restores what a killed one had begun to write.
        await apply('--check', 'false');
        left.push(await changedIn(folder));
      }
      await git('checkout', '--quiet', '.');
      await git('clean', '--quiet', '--force');
    }
    const { plans, findings, applied } = await apply('--check', 'true');
    const whole = await changedIn(folder);
    const outcomes = left.map((one) => outcomeOf(one, whole));
    const isWhole = outcomes.every((one) => one !== 'half');
    const after = await lockhound({ program, data, seed }, ['scan', '--json', '--no-advice', lockfile]);
    const changed = [...whole.keys()];
    const written = applied?.written ?? [];
    const isExact = changed.sort().join() === [...written].sort().join();
    const claimed = plans.flatMap(({ steps }) => steps.flatMap(({ clears }) => clears));
    const count = claimed.reduce((sum, one) => sum + one.findings, 0);
    const reasons = (applied?.plans ?? []).flatMap(({ reason }) => reason ?? []);
    console.log(
      [
        `${project.name} (${project.manager}): ${findings.length} findings, ${count} claimed, ${after.findings.length} left; ` +
          `untouched by a check that fails: ${untouched ? 'yes' : 'no'}; by ${kills} kills: ${['nothing', 'everything', 'half'].map((name) => `${outcomes.filter((one) => one === name).length} left ${name} changed`).join(', ')}; written: ${written.join(', ') || 'nothing'}; exactly: ${isExact ? 'yes' : `no (${changed.join(', ')})`}`,
        ...reasons.map((reason) => `  not made: ${reason}`),
        ...left
          .filter((one) => outcomeOf(one, whole) === 'half')
          .map((one) => `  half: ${[...one.keys()].join(', ')}`),
        '',
      ].join('\n'),
    );
    return untouched && isWhole && isExact && after.findings.length <= findings.length ? 0 : 1;
  } catch (error) {
    console.log(`${project.name}: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

async function checkAndTell(project: CheckedProject, bench: Bench): Promise<number> {
  try {
    const parts = await check(project, bench);
    const [first] = parts;
    for (const [index, part] of parts.entries()) console.log(textOf(project, part, index > 0));
    const isRight = parts.every(({ claimed, gone, script }) => claimed === gone && script !== 'fails');
    // An upgrade to another major line can need changes of the application.
    return isRight && first?.starts === true && first.added === 0 ? 0 : 1;
  } catch (error) {
    console.log(`${project.name}: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

function textOf({ name, manager }: CheckedProject, applied: Applied, isBreaking: boolean): string {
  const { findings, claimed, gone, added, script, starts, notes } = applied;
  const counts = `${findings} findings, ${claimed} claimed, ${gone} gone, ${added} new`;
  const title = `${name} (${manager}${isBreaking ? ', other major lines' : ''})`;
  const summary = `${title}: ${counts}; script: ${script}; starts: ${starts ? 'yes' : 'no'}`;
  return [summary, ...notes.map((note) => `  ${note}`), ''].join('\n');
}

/** What the plan of a project came to, and then its upgrades to other major lines. */
async function check(project: CheckedProject, bench: Bench): Promise<readonly Applied[]> {
  const { tools, registry, upstream } = bench;
  const { program, 'missing-graphs': seed } = values;
  const built = await build(join(bench.folder, project.name, 'project'), project, bench);
  const environment = tools.with(project.manager, upstream);
  await installLocked(built, project.manager, environment);
  const first = await start(built, project);
  if (first.code !== 0)
    throw new Error(`the application does not start before anything is changed:\n${first.err}`);
  const scanned = await scannedFile(built, project);
  const data = await dataAbout(await lockedIn(program, built.lockfile), await advisories(), registry);
  const answers = { program, data, seed };
  const before = await lockhound(answers, ['fix', '--json', scanned]);
  const [plan] = before.plans;
  if (plan === undefined) throw new Error('there is no plan');
  const make = async (part: Part, known: Report, notes: readonly string[]) => {
    const applied = await apply(built.folder, part.commands, tools.lockingWith(project.manager, upstream));
    const after = await lockhound(answers, ['scan', '--json', '--no-advice', built.lockfile]);
    const outcome = compareWithPlan(part.steps, known.findings, after.findings);
    const messages = await installAndStart(built, project, environment);
    return {
      after,
      ...outcome,
      script: part.commands.length === 0 ? 'none' : applied.succeeded ? 'ends' : 'fails',
      starts: messages === '',
      notes: [
        ...outcome.notes,
        ...notes,
        ...part.commands.map((line) => `$ ${line}`),
        ...(applied.succeeded ? [] : [applied.messages]),
        ...(messages === '' ? [] : [messages]),
      ],
    } as const;
  };
  const main = await make(plan, before, [
    ...plan.stays.map(({ id, kind, reason }) => `stays: ${id}: ${kind}: ${reason}`),
    ...before.unadvised.map(({ id, reason }) => `without advice: ${id}: ${reason}`),
  ]);
  return plan.breaking.commands.length === 0 ? [main] : [main, await make(plan.breaking, main.after, [])];
}

async function advisories(): Promise<readonly AdvisoryFact[]> {
  const bundled = (await readBundledData()).advisories;
  const given = values.advisories === undefined ? [] : JSON.parse(await readFile(values.advisories, 'utf8'));
  const more: readonly AdvisoryFact[] = given;
  return [...bundled, ...more].map((one) => ({ ...one, heldBack: false }));
}

/** A lone lockfile is scanned in a folder of its own. */
async function scannedFile({ lockfile, folder }: Built, { isLone = false }: CheckedProject): Promise<string> {
  if (!isLone) return lockfile;
  const lone = join(folder, '..', 'lone');
  await mkdir(lone);
  await cp(lockfile, join(lone, basename(lockfile)));
  return join(lone, basename(lockfile));
}

/** Empty when the application starts, otherwise the messages. */
async function installAndStart(
  built: Built,
  project: CheckedProject,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    await installLocked(built, project.manager, environment);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { code, out, err } = await start(built, project);
  return code === 0 ? '' : `${out}\n${err}`.trim().split('\n').slice(-12).join('\n');
}

async function start({ application }: Built, project: CheckedProject) {
  return await run(application, process.execPath, project.start, { CI: 'true', NO_UPDATE_NOTIFIER: '1' });
}
