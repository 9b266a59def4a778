import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, promises } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyOptions, applyFix } from '../../../src/commands/fix/apply-fix.ts';
import { findRoot, openWorkingCopy } from '../../../src/commands/fix/working-copy.ts';
import { restoreUnfinished, writeChanges } from '../../../src/commands/fix/write-changes.ts';
import { inheritedEnvironment } from '../../../src/config/inherited-environment.ts';
import type { FixPlan, RemovalPlan } from '../../../src/model/advice/fix-plan.ts';
import type { ScanReport } from '../../../src/model/scan/verdict.ts';
import { lockhound } from '../../cli/lockhound.ts';

let folder: string;
/** The folder of each test as it begins. */
let prepared: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixed-'));
  prepared = folder;
  await writeFile(join(folder, 'package.json'), '{"dependencies":{"a":"1.0.0"}}\n');
  await writeFile(join(folder, 'package-lock.json'), 'a 1.0.0\n');
  await writeFile(join(folder, '.gitignore'), 'node_modules\n*.log\n');
  git('init', '--quiet', '--template=', '--initial-branch=main');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'person@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message=first');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixed-'));
  await cp(prepared, folder, { recursive: true, preserveTimestamps: true });
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(() => rm(prepared, { recursive: true }));

const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
const lockfile = () => readFile(join(folder, 'package-lock.json'), 'utf8');

const LIFT = "sed -i 's/1.0.0/1.0.1/' package-lock.json package.json";

const CHANGES = [{ name: 'a', from: '1.0.0', to: '1.0.1', how: 'upgrade' as const }];

function plan(commands: readonly string[], path = 'package-lock.json'): FixPlan {
  const steps = [{ changes: CHANGES, commands, clears: [{ id: 'a@1.0.0', findings: 1 }] }];
  return { path, steps, commands, breaking: { steps: [], commands: [] }, stays: [] };
}

/** The report of a scan that finds an advisory in each lockfile that names one of the versions. */
async function scan(root: string, affected = ['1.0.0'], gaps: object[] = []): Promise<ScanReport> {
  const names = (await readdir(root, { recursive: true })).filter((name) =>
    name.endsWith('package-lock.json'),
  );
  const found: object[] = [];
  for (const path of names) {
    const version = /\d\S*/.exec(await readFile(join(root, path), 'utf8'))?.[0] ?? '';
    if (affected.includes(version))
      found.push({ package: { name: 'a', version }, advisory: { id: 'GHSA-1' }, locations: [{ path }] });
  }
  const lockfiles = await Promise.all(
    names.map(async (path) => ({ path, packages: [{ id: await readFile(join(root, path), 'utf8') }] })),
  );
  return { verdict: { findings: found, gaps }, inventory: { lockfiles } } as unknown as ScanReport;
}

async function apply(plans: readonly FixPlan[], options: Partial<ApplyOptions> = {}) {
  return await applyFix({
    folder,
    plans,
    before: await scan(folder),
    scan,
    inherited: inheritedEnvironment(),
    signal: new AbortController().signal,
    onStep() {},
    ...options,
  });
}

describe('a fix that is applied', () => {
  it('writes what the commands changed and what is new, and nothing that is ignored', async () => {
    const more = 'mkdir node_modules && touch node_modules/a debug.log new.lock && chmod 600 package.json';
    const applied = await apply([plan([LIFT, more])], {
      check: 'grep 1.0.1 package-lock.json && touch left',
    });
    expect(applied.plans).toEqual([
      {
        path: 'package-lock.json',
        files: ['package-lock.json', 'package.json', 'new.lock'],
        advisories: ['GHSA-1'],
      },
    ]);
    expect(await lockfile()).toBe('a 1.0.1\n');
    expect(git('status', '--porcelain')).toBe('M package-lock.json\n M package.json\n?? new.lock');
    expect(existsSync(join(folder, '.git/lockhound-fix'))).toBe(false);
  });

  it.each<[string, FixPlan, Partial<ApplyOptions>, RegExp]>([
    ['the commands fail', plan([LIFT, 'echo no such version >&2', 'false']), {}, /failed:\nno such version$/],
    ['the commands change nothing', plan(['true']), {}, /changed nothing/],
    [
      'a command is for people',
      plan(['# pyproject.toml: add a', LIFT]),
      {},
      /by hand: pyproject.toml: add a/,
    ],
    [
      'the other version is affected, too',
      plan([LIFT]),
      { scan: (root) => scan(root, ['1.0.1']) },
      /^still affected: a@1.0.0$/,
    ],
    [
      'nothing is known of the result',
      plan([LIFT]),
      { scan: (root) => scan(root, [], [{ kind: 'package', subject: 'a@1.0.1', reason: 'HTTP 503' }]) },
      /not known: a@1.0.1: HTTP 503/,
    ],
  ])('is left out when %s', async (_case, given, options, reason) => {
    const { plans, written } = await apply([given], options);
    expect(written).toBeUndefined();
    expect(plans).toEqual([
      { path: 'package-lock.json', reason: expect.stringMatching(reason), changes: CHANGES },
    ]);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('removes exceptions without which the lockfile stays as it is, and no others', async () => {
    const remove = (commands: readonly string[]): RemovalPlan[] => {
      const about = { path: 'package.json', setting: 'overrides', subject: 'b', evidence: 'no package b' };
      return [{ path: 'package-lock.json', removes: [about as RemovalPlan['removes'][number]], commands }];
    };
    const edit = 'sed -i \'s/}}/}, "x": 1}/\' package.json';
    const { plans, written } = await apply([], { removals: remove([edit, LIFT]) });
    expect([plans, written]).toEqual([
      [
        {
          path: 'package-lock.json',
          reason: 'the lockfile is not the same without the exceptions',
          changes: [],
        },
      ],
      undefined,
    ]);
    expect(git('status', '--porcelain')).toBe('');
    const later = await apply([plan([LIFT])], { removals: remove([edit]), branch: 'one' });
    expect(later.plans).toHaveLength(1);
    const applied = await apply([], { removals: remove([edit]), branch: 'two' });
    expect(applied.plans).toEqual([{ path: 'package-lock.json', files: ['package.json'], removed: 1 }]);
    expect(applied.message).toMatch(
      /^fix: remove 1 exception without an effect\n\nWithout b in package.json: no package b\.\n\nCommands:/,
    );
  });

  it('goes on with other lockfiles when one cannot be fixed', async () => {
    await mkdir(join(folder, 'web'));
    await writeFile(join(folder, 'web/package-lock.json'), 'a 1.0.0\n');
    const inWeb = plan(["sed -i 's/1.0.0/1.0.1/' package-lock.json"], 'web/package-lock.json');
    const { plans, written } = await apply([plan([LIFT, 'false']), inWeb]);
    expect(plans.map(({ reason }) => reason !== undefined)).toEqual([false, true]);
    expect(written).toEqual(['web/package-lock.json']);
    expect(await lockfile()).toBe('a 1.0.0\n');
  });

  it('makes the steps that can be proven when the whole plan cannot be', async () => {
    const [good, bad] = [plan([LIFT]).steps, plan(['echo b >> package-lock.json', 'false']).steps];
    const steps = [...good, ...bad];
    const { plans, written } = await apply([{ ...plan([]), steps, commands: [LIFT, 'false'] }]);
    expect(plans.map(({ reason = 'made' }) => reason)).toEqual(['made', 'the commands failed:\n']);
    expect(written).toEqual(['package-lock.json', 'package.json']);
    expect(await lockfile()).toBe('a 1.0.1\n');
  });

  it('writes nothing when the check fails, and says what the check wrote', async () => {
    const { failedCheck, written } = await apply([plan([LIFT])], { check: 'echo 3 tests fail; exit 1' });
    expect([failedCheck, written]).toEqual(['3 tests fail', undefined]);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('overwrites no file that somebody changed meanwhile', async () => {
    const changing = async (root: string) => {
      await writeFile(join(folder, 'package.json'), '{"dependencies":{"b":"2.0.0"}}\n');
      return await scan(root);
    };
    await expect(apply([plan([LIFT])], { scan: changing })).rejects.toMatchObject({
      code: 'changed-meanwhile',
      message: expect.stringContaining('package.json'),
    });
    expect(await lockfile()).toBe('a 1.0.0\n');
  });

  it('runs no scripts of packages, and follows no link out of the copy', async () => {
    await symlink(join(folder, 'package-lock.json'), join(folder, 'linked'));
    const commands = ['test "$npm_config_ignore_scripts" = true', 'echo a 1.0.2 >> linked', LIFT, 'false'];
    await apply([plan(commands)]);
    expect(await lockfile()).toBe('a 1.0.0\n');
  });

  it('ends its commands when it is stopped', async () => {
    const controller = new AbortController();
    const commands = [`touch ${join(folder, 'started.log')}`, 'sleep 600'];
    const running = apply([plan(commands)], { signal: controller.signal });
    await expect.poll(() => existsSync(join(folder, 'started.log'))).toBe(true);
    controller.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });

  it('works outside of a repository', async () => {
    await rm(join(folder, '.git'), { recursive: true });
    expect((await apply([plan([LIFT])])).written).toEqual(['package-lock.json', 'package.json']);
    expect(await lockfile()).toBe('a 1.0.1\n');
    expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'package-lock.json', 'package.json']);
  });
});

describe('a fix on a branch', () => {
  it('is a commit that explains itself, and leaves files and index as they are', async () => {
    await writeFile(join(folder, 'notes.txt'), 'not committed\n');
    const { commit } = await apply([plan([LIFT, 'touch new.lock'])], { branch: 'fix/a', check: 'true' });
    expect(git('rev-parse', 'fix/a')).toBe(commit);
    expect(git('show', '--format=%an', '--name-status', 'fix/a')).toBe(
      'A Person\n\nA\tnew.lock\nM\tpackage-lock.json\nM\tpackage.json',
    );
    const message = git('log', '-1', '--format=%B', 'fix/a');
    expect(message).toContain('fix: clear 1 advisory in 1 package');
    expect(message).toContain('GHSA-1');
    expect(message).toContain(`    ${LIFT}`);
    expect(git('status', '--porcelain')).toBe('?? notes.txt');
    expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  });

  it('is refused when the branch exists, or a file has changes without a commit', async () => {
    await expect(apply([plan([LIFT])], { branch: 'main' })).rejects.toThrow('the branch main exists');
    await writeFile(join(folder, 'package.json'), '{"dependencies":{"a":"1.0.0"}, "private": true}\n');
    await expect(apply([plan([LIFT])], { branch: 'fix' })).rejects.toThrow('package.json');
    expect(git('branch', '--list', 'fix')).toBe('');
    await expect(apply([plan([LIFT])], { branch: '--force' })).rejects.toThrow();
  });
});

describe('a process that is killed while it writes', () => {
  const CHANGES_OF_FILES = ['copyFile', 'link', 'mkdir', 'rename', 'rm', 'writeFile'] as const;
  const CHANGED = ['package.json', 'package-lock.json', 'new.lock'];
  /** Here some files are replaced, and others are not. */
  const REALLY_KILLED_AT = 11;
  /** Ends with SIGKILL there. */
  const PROGRAM = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let count = 0;
for (const name of ${JSON.stringify(CHANGES_OF_FILES)}) {
  const own = fs.promises[name];
  fs.promises[name] = (...all) => { if (armed && count++ === ${REALLY_KILLED_AT}) process.kill(process.pid, 'SIGKILL'); return own(...all); };
}
let armed = false;
syncBuiltinESMExports();
const { findRoot, openWorkingCopy } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/commands/fix/working-copy.ts'))});
const { writeChanges } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/commands/fix/write-changes.ts'))});
const { signal } = new AbortController();
const copy = await openWorkingCopy('.', await findRoot('.', { inherited: process.env, signal }), signal);
for (const name of ${JSON.stringify(CHANGED)}) fs.writeFileSync(copy.copy + '/' + name, '1.0.1\\n');
const changes = await copy.changes();
armed = true;
await writeChanges(copy, changes);
`;

  /** Writes until the n-th change of a file system, which never happens, as in a process that is killed there. Resolves to whether it ended. */
  async function writeUntil(limit: number): Promise<boolean> {
    const { signal } = new AbortController();
    const place = await findRoot(folder, { inherited: inheritedEnvironment(), signal });
    const copy = await openWorkingCopy(folder, place, signal);
    for (const name of CHANGED) await writeFile(join(copy.copy, name), '1.0.1\n');
    const changes = await copy.changes();
    const own = Object.fromEntries(CHANGES_OF_FILES.map((name) => [name, promises[name]]));
    let count = 0;
    const hasEnded = await new Promise<boolean>((resolve, reject) => {
      for (const [name, change] of Object.entries(own) as [string, (...given: unknown[]) => unknown][])
        Object.assign(promises, {
          [name]: (...given: unknown[]) => {
            count += 1;
            return count > limit ? new Promise(() => resolve(false)) : change(...given);
          },
        });
      syncBuiltinESMExports();
      writeChanges(copy, changes).then(() => resolve(true), reject);
    }).finally(() => {
      Object.assign(promises, own);
      syncBuiltinESMExports();
    });
    await copy.remove();
    return hasEnded;
  }

  it('leaves everything as it was or everything written, after the next run has begun', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'fixed-'));
    const env = { ...process.env, TMPDIR: temporary };
    const ends = new Set<string>();
    for (let limit = 0; !ends.has('ended'); limit++) {
      let hasEnded = false;
      if (limit === REALLY_KILLED_AT) {
        const args = ['--input-type=module', '--eval', PROGRAM];
        expect(spawnSync(process.execPath, args, { cwd: folder, env }).signal).toBe('SIGKILL');
        expect(existsSync(join(folder, '.git/lockhound-fix'))).toBe(true);
      } else hasEnded = await writeUntil(limit);
      await restoreUnfinished(folder);
      const states = await Promise.all(
        ['package.json', 'package-lock.json'].map(async (name) =>
          (await readFile(join(folder, name), 'utf8')) === '1.0.1\n' ? 'new' : 'old',
        ),
      );
      states.push(existsSync(join(folder, 'new.lock')) ? 'new' : 'old');
      expect(new Set(states).size, `after ${limit} changes: ${states.join(', ')}`).toBe(1);
      expect(existsSync(join(folder, '.git/lockhound-fix'))).toBe(false);
      ends.add(hasEnded ? 'ended' : (states[0] ?? ''));
      if (states[0] === 'new') {
        await rm(join(folder, 'new.lock'));
        git('checkout', '--quiet', '.');
      }
    }
    await rm(temporary, { recursive: true });
    expect(ends).toEqual(new Set(['old', 'new', 'ended']));
  });

  it('has its files restored before anything is copied', async () => {
    const journal = join(folder, '.git/lockhound-fix');
    await mkdir(journal);
    await writeFile(join(journal, '0.before'), 'a 0.9.0\n');
    await writeFile(join(journal, '1.before'), '{}\n');
    const written = hash('sha256', await readFile(join(folder, 'package-lock.json')));
    const entries = [
      { path: 'package-lock.json', kind: 'changed', after: written },
      // Somebody changed it since then.
      { path: 'package.json', kind: 'changed', after: hash('sha256', 'written by the fix') },
      { path: '.gitignore', kind: 'new', after: hash('sha256', 'written by the fix') },
    ];
    await writeFile(join(journal, 'files.json'), JSON.stringify(entries));
    const before = process.env['TMPDIR'];
    // Nothing can be copied there.
    process.env['TMPDIR'] = join(folder, 'none');
    const restored = await apply([plan([LIFT])]).finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    expect(restored).toEqual({ plans: [], restored: ['package-lock.json'] });
    expect(await lockfile()).toBe('a 0.9.0\n');
    expect(git('status', '--porcelain')).toBe('M package-lock.json');
    expect(existsSync(journal)).toBe(false);
  });
});

it('lockhound fix --apply refuses several paths, and --check without --apply', async () => {
  const run = async (...args: string[]) => {
    const { code, note } = await lockhound(['fix', ...args]);
    return [code, note];
  };
  expect(await run('--apply', folder, 'web')).toEqual([
    2,
    expect.stringContaining('--apply takes one folder'),
  ]);
  expect(await run('--check', 'true', folder)).toEqual([
    2,
    expect.stringContaining('--check and --branch need --apply'),
  ]);
});
