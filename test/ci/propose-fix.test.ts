import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proposeFix } from '../../src/commands/ci/propose-fix.ts';
import { applyFix } from '../../src/commands/fix/apply-fix.ts';
import { LOCKHOUND_EMAIL } from '../../src/commands/fix/commit-branch.ts';
import type { ProposalEnvironment } from '../../src/config/github-environment.ts';
import { inheritedEnvironment } from '../../src/config/inherited-environment.ts';
import type { ScanReport } from '../../src/model/scan/verdict.ts';
import { Secret } from '../../src/model/secret.ts';
import { commitAll, git } from '../sources/repositories.ts';
import { REPOSITORY, startHost } from './pull-request-host.ts';

const TOKEN = 'secret-token-4e1f';
const BRANCH = 'lockhound/fixes';
const LOCK = 'package-lock.json';

/** Makes the commit of a fix, whose message is the argument. */
const COMMIT = `
blob=$(echo a 2.0.0 | git hash-object -w --stdin)
tree=$(printf '100644 blob %s\\t${LOCK}\\n' $blob | git mktree)
git commit-tree $tree -p HEAD -m "$1"
`;
const AUTHOR = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Lockhound'],
    [`GIT_${who}_EMAIL`, LOCKHOUND_EMAIL],
    [`GIT_${who}_DATE`, '2026-01-01T00:00:00Z'],
  ]),
);

describe.each(['github', 'gitlab'] as const)('the pull request of a fix at %s', (kind) => {
  let host: Awaited<ReturnType<typeof startHost>>;
  /** A checkout of the job. */
  let checkout: string;
  /** That of one test. */
  let folder: string;
  beforeAll(async () => {
    host = await startHost(kind, TOKEN);
    checkout = mkdtempSync(join(host.root, 'checkout-'));
    folder = checkout;
    git(folder, 'init', '--quiet', '--template=', '--initial-branch=main');
    // What a checkout leaves behind.
    git(folder, 'config', `http.${host.url}/.extraheader`, 'AUTHORIZATION: basic b2xk');
    change('a 1.0.0\n');
    git(folder, 'push', '--quiet', host.bare, 'main');
    cpSync(host.bare, join(host.root, 'pushed'), { recursive: true });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(host.root, 'job-'));
    cpSync(checkout, folder, { recursive: true });
    rmSync(host.bare, { recursive: true });
    cpSync(join(host.root, 'pushed'), host.bare, { recursive: true });
    host.reset();
  });
  afterAll(() => host.close());

  function change(content: string): void {
    writeFileSync(join(folder, LOCK), content);
    commitAll(folder);
  }

  const affected = () => readFileSync(join(folder, LOCK), 'utf8').trim().replace(' ', '@');

  /** The commit that a fix of the checkout makes. */
  async function applied() {
    const finding = {
      package: { name: 'a', version: affected().slice(2) },
      advisory: { id: 'GHSA-1' },
      locations: [{ path: LOCK }],
    };
    const inventory = { lockfiles: [{ path: LOCK, packages: [] }] };
    const reportWith = (findings: readonly object[]) =>
      ({ verdict: { findings, gaps: [] }, inventory }) as unknown as ScanReport;
    const commands = [`echo a 2.0.0 > ${LOCK}`];
    const changes = [{ name: 'a', from: '1.0.0', to: '2.0.0', how: 'upgrade' as const }];
    const steps = [{ changes, commands, clears: [{ id: affected(), findings: 1 }] }];
    const { commit = '', message = '' } = await applyFix({
      ...{ folder, inherited: inheritedEnvironment(), branch: BRANCH, isRemote: true },
      signal: new AbortController().signal,
      plans: [{ path: LOCK, steps, commands, breaking: { steps: [], commands: [] }, stays: [] }],
      before: reportWith([finding]),
      scan: async () => reportWith([]),
      onStep() {},
    });
    return { commit, message };
  }

  /** A commit like it, which takes a tenth of the processes. */
  function committed() {
    const message = `fix: clear 1 advisory in 1 package\n\nClears GHSA-1 in ${affected()}\n`;
    const options = { cwd: folder, env: { ...process.env, ...AUTHOR } };
    const commit = execFileSync('sh', ['-c', COMMIT, 'sh', message], options).toString().trim();
    return { commit, message };
  }

  async function run(made: ReturnType<typeof committed> = committed(), inherited = inheritedEnvironment()) {
    const isGithub = kind === 'github';
    const environment: ProposalEnvironment = {
      host: kind,
      apiUrl: isGithub ? `${host.url}/api/repos/${REPOSITORY}` : `${host.url}/api/v4/projects/42`,
      owner: 'acme',
      serverUrl: host.url,
      pushUrl: `${host.url}/${REPOSITORY}.git`,
      base: 'main',
      token: undefined,
    };
    const signal = new AbortController().signal;
    const proposal = { ...made, folder, branch: BRANCH, inherited, signal };
    const proposed = await proposeFix({ ...environment, base: 'main', token: new Secret(TOKEN) }, proposal);
    return { ...proposed, commit: made.commit };
  }

  const remoteTip = () => git(host.bare, 'rev-parse', `refs/heads/${BRANCH}`);
  const pushes = () => host.requests().filter(({ url }) => url.includes('git-receive-pack')).length;

  it('is opened once, and stays as it is while nothing changes', async () => {
    // The commit is the same for both hosts.
    const fix = async () => (kind === 'github' ? await applied() : committed());
    const { outcome, url, commit } = await run(await fix());
    expect([outcome, remoteTip()]).toEqual(['created', commit]);
    expect(url).toMatch(/\/(?:pull|-\/merge_requests)\/1$/);
    expect(host.state.pulls).toMatchObject([
      { head: BRANCH, base: 'main', title: 'fix: clear 1 advisory in 1 package' },
    ]);
    expect(host.state.pulls[0]?.body).toContain('```text\nClears GHSA-1');
    expect(git(host.bare, 'show', `${commit}:${LOCK}`)).toBe('a 2.0.0');
    expect(git(host.bare, 'rev-parse', `${commit}^`)).toBe(git(folder, 'rev-parse', 'HEAD'));
    // Neither files nor branches of the checkout change.
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(git(folder, 'branch', '--list')).toBe('* main');
    expect(pushes()).toBeGreaterThan(0);
    expect(await run(await fix())).toMatchObject({ outcome: 'unchanged', commit });
    expect(pushes()).toBe(0);
    expect(host.written).toHaveLength(1);
  });

  it('is updated when the base moves', async () => {
    await run();
    change('a 1.0.1\n');
    git(folder, 'push', '--quiet', host.bare, 'main');
    const { outcome, commit } = await run();
    expect([outcome, remoteTip(), host.state.pulls.length]).toEqual(['updated', commit, 1]);
    expect(host.state.pulls[0]?.body).toContain('a@1.0.1');
  });

  it('is one, whoever opens it at the same time, and after a crash between push and request', async () => {
    host.state.failing = 1;
    await expect(run()).rejects.toThrow('HTTP 500');
    expect(pushes()).toBeGreaterThan(0);
    expect((await run()).outcome).toBe('created');
    expect(pushes()).toBe(0);
    host.state.hidden = 1;
    expect((await run()).outcome).toBe('updated');
    expect(host.state.pulls).toHaveLength(1);
  });

  it('is not opened again when somebody closed it, until there are other changes', async () => {
    await run();
    const [first] = host.state.pulls;
    if (first === undefined) throw new RangeError('none was opened');
    first.state = 'closed';
    git(host.bare, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    expect((await run()).outcome).toBe('declined');
    expect(git(host.bare, 'branch', '--list', BRANCH)).toBe('');
    change('a 1.0.1\n');
    expect((await run()).outcome).toBe('created');
    first.state = 'merged';
    const [, second] = host.state.pulls;
    if (second !== undefined) second.state = 'merged';
    expect((await run()).outcome).toBe('created');
  });

  it('is none of a fork, whose branch has the same name', async () => {
    const foreign = {
      number: 1,
      head: BRANCH,
      base: 'main',
      title: 'mine',
      body: 'mine',
      state: 'open',
    } as const;
    host.state.pulls.push({ ...foreign, isForeign: true });
    expect((await run()).outcome).toBe('created');
    expect(host.state.pulls.map(({ title }) => title)).toEqual([
      'mine',
      'fix: clear 1 advisory in 1 package',
    ]);
  });

  // What git alone decides is the same at both hosts.
  if (kind === 'github') {
    it('overwrites no commit of somebody else', async () => {
      await run();
      const other = host.commitOn(BRANCH);
      await expect(run()).rejects.toMatchObject({ code: 'branch-taken' });
      expect(remoteTip()).toBe(other);
    });
  }

  it('has the token in no argument and in no error', async () => {
    const bin = mkdtempSync(join(host.root, 'bin-'));
    const log = join(bin, 'log');
    const { PATH = '', ...others } = inheritedEnvironment();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> ${log}\nPATH=${PATH}\nexec git "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const inherited = { ...others, PATH: `${bin}:${PATH}` };
    host.state.refusesPush = true;
    const error = await run(committed(), inherited).catch((fault: Error) => fault);
    host.state.refusesPush = false;
    expect(error).toMatchObject({ code: 'push-refused' });
    expect(error).not.toHaveProperty('cause');
    await run(committed(), inherited);
    const text = `${readFileSync(log, 'utf8')}${(error as Error).stack}`;
    expect(text).toContain('push --quiet');
    for (const form of [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')]) {
      expect(text).not.toContain(form);
    }
  });
});
