import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../src/cli/program/program.ts';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { BUILT } from '../prepare.ts';
import { DATA, type Packages, WRITERS } from '../review/histories.ts';
import { git, openRepositories, type Repositories } from '../sources/repositories.ts';
import { startGithub } from './github-stand-in.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOKEN = 'ghs_token-9d1f';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly {
      name: string;
      uses?: string;
      run?: string;
      env?: Record<string, string>;
      with?: Record<string, string>;
    }[];
  };
}

/** Versions without a date would each be a warning of the gate. */
const DATED = {
  ...DATA,
  packages: DATA.packages.map(({ versions, ...one }) => ({
    ...one,
    versions: versions.map((version) => ({
      ...version,
      publishedAt: '2020-01-01T00:00:00Z',
      dependencies: {},
    })),
  })),
};

const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;
const lock = (packages: Packages) => WRITERS['package-lock.json']?.(packages) ?? '';

let repositories: Repositories;
let service: InsightsService;
let github: Awaited<ReturnType<typeof startGithub>>;

beforeAll(async () => {
  repositories = openRepositories();
  service = await startInsightsService({ data: DATED });
  github = await startGithub(TOKEN);
});
const start = process.cwd();
afterEach(() => {
  process.chdir(start);
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await github.close();
  await service.close();
  repositories.close();
});

/** A checkout of a pull request: the merge of a branch that changes the lockfile, as the host makes it. */
function pullRequest(name: string, before: Packages, after: Packages) {
  const { folder, build } = repositories.create(name);
  const [, , base = ''] = build([
    { branch: 'main', files: { 'package-lock.json': lock(before) } },
    { branch: 'feature', parents: [0], files: { 'package-lock.json': lock(after) } },
    { branch: 'main', parents: [0], files: { 'README.md': 'the base moved on' } },
    { branch: 'main', parents: [2, 1], files: { 'package-lock.json': lock(after) } },
  ]);
  return { folder, event: { pull_request: { number: 7, base: { sha: base } } } };
}

/** Stands in for `node`: the step ends with its arguments in a file. */
const NODE = '#!/bin/sh\nprintf "%s\\0" "$@" > "$FOLDER/arguments"\n';

/**
 * Prepares the step `Scan` as the host does, with inputs and contexts in place of the expressions. Returns what starts it in a shell, with
 * a folder of programs, and what reads its files. `policy`: the configuration.
 */
function prepareScan(
  folder: string,
  event: object,
  inputs: Readonly<Record<string, string>> = {},
  url = service.url,
  own: Readonly<Record<string, string>> = {},
) {
  const temp = mkdtempSync(join(repositories.root, 'temp-'));
  const config = join(temp, 'lockhound.yaml');
  const { policy = JSON.stringify({ insights: { url } }), ...others } = inputs;
  writeFileSync(config, policy);
  writeFileSync(join(temp, 'event.json'), JSON.stringify(event));
  const step = action.runs.steps.find(({ name }) => name === 'Scan');
  const given: Readonly<Record<string, string>> = { config, token: TOKEN, ...others };
  const value = (expression: string): string =>
    expression.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
      if (name === 'github.action_path') return BUILT;
      if (name === 'runner.temp') return temp;
      const input = name.replace(/^inputs\./, '');
      return given[input] ?? action.inputs[input]?.default ?? '';
    });
  const variables = Object.entries(step?.env ?? {}).map(([name, expression]) => [name, value(expression)]);
  const environment: Readonly<Record<string, string>> = {
    HOME: temp,
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: 'acme/shop',
    GITHUB_SHA: git(folder, 'rev-parse', 'HEAD'),
    GITHUB_REF: 'refs/pull/7/merge',
    GITHUB_EVENT_PATH: join(temp, 'event.json'),
    GITHUB_OUTPUT: join(temp, 'output'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary'),
    ...Object.fromEntries(variables),
    ...own,
  };
  const read = (name: string): string => readFileSync(join(temp, name), 'utf8');
  const shell = async (programs: string) => {
    const env = { ...environment, PATH: `${programs}:${process.env['PATH']}` };
    const child = spawn('bash', ['-e', '-c', step?.run ?? 'exit 99'], { cwd: folder, env });
    let log = '';
    child.stdout.on('data', (chunk) => (log += chunk));
    child.stderr.on('data', (chunk) => (log += chunk));
    const [code] = await once(child, 'close');
    return { code, log, read };
  };
  return { temp, environment, shell, read };
}

/** Runs the step in a process of its own, as the host does. */
async function runStep(...given: Parameters<typeof prepareScan>) {
  return await prepareScan(...given).shell(dirname(process.execPath));
}

/** Runs the step, and in this process the command that it starts. */
async function runScan(...given: Parameters<typeof prepareScan>) {
  const { temp, environment, shell, read } = prepareScan(...given);
  writeFileSync(join(temp, 'node'), NODE, { mode: 0o755 });
  expect(await shell(temp)).toMatchObject({ code: 0, log: '' });
  const [program, ...args] = read('arguments').split('\0').slice(0, -1);
  expect(program).toBe(join(BUILT, 'bin/lockhound.js'));
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  process.chdir(given[0]);
  let log = '';
  const write = (text: string): void => {
    log += text;
  };
  const terminal = { colour: false, interactive: false, width: 80, noteWidth: 80 };
  const code = await run(args, { out: write, note: write, input: Readable.from(['']), ...terminal });
  process.chdir(start);
  return { code, log, read };
}

describe('the Action', () => {
  it('scans a pull request, uploads, comments once and updates its comment', async () => {
    // Someone else wrote a comment that begins like ours, before and after a page of others.
    const first = pullRequest(
      'first',
      { good: '1.0.0', flawed: '1.0.0' },
      { flawed: '1.0.0', worse: '1.0.0' },
    );
    const bad = await runStep(first.folder, first.event);
    expect(bad.log).toContain('Since ');
    expect(bad.code).toBe(1);
    expect(bad.read('output')).toBe(
      'exit-code=2\nexit-code=1\nfindings=1\nknown=1\ngone=0\ngaps=0\nblocked=0\nwarned=1\n',
    );
    // The package that both sides have is not judged again.
    expect(bad.read('summary')).toContain('0 allowed, 1 with a warning, 0 blocked');
    expect(bad.read('summary')).toContain('| warn | <code>pkg:npm/worse&#64;1.0.0</code> |');
    expect(bad.read('summary')).toContain('1 new finding');
    expect(JSON.parse(bad.read('lockhound/scan.json')).comparison.introduced).toHaveLength(1);
    expect(github.state.comments).toHaveLength(1);
    const [comment] = github.state.comments;
    expect(comment?.body).toMatch(/^<!-- lockhound [0-9a-f]{16} -->\n### 1 new finding: 1 critical/);
    expect(github.state.uploads[0]?.ref).toBe('refs/pull/7/merge');
    expect(JSON.parse(github.state.uploads[0]?.sarif ?? '').runs[0].results).toHaveLength(2);

    const copied = Array.from({ length: 150 }, (_, at) => ({
      id: at,
      user: { type: 'User' as const },
      body: comment?.body ?? '',
    }));
    github.state.comments.unshift(...copied);
    const second = pullRequest('second', { good: '1.0.0', flawed: '1.0.0' }, { flawed: '2.0.0' });
    const good = await runScan(second.folder, second.event);
    expect(good.code).toBe(0);
    expect(github.state.comments).toHaveLength(151);
    expect(comment?.body).toContain('No new findings');
    expect(new Set(copied.map(({ body }) => body)).size).toBe(1);
    expect(copied[0]?.body).toContain('1 new finding');
    expect(bad.log + good.log).not.toContain(TOKEN);
  });

  it('makes no comment when there is nothing to say', async () => {
    github.state.comments.length = 0;
    const { folder, event } = pullRequest('clean', { good: '1.0.0' }, { good: '2.0.0' });
    expect((await runScan(folder, event)).code).toBe(0);
    expect(github.state.comments).toEqual([]);
  });

  it('fails for an added package that the gate blocks, by the policy', async () => {
    const none = { comment: 'false', upload: 'false' };
    const { folder, event } = pullRequest('gate', { good: '1.0.0' }, { good: '1.0.0', evil: '1.0.0' });
    const policy = (gate: object, rules = {}) =>
      JSON.stringify({ insights: { url: service.url }, policy: { gate, rules } });
    const malware = await runScan(folder, event, none);
    expect(malware.code).toBe(1);
    expect(malware.read('summary')).toMatch(/^### ⛔ 1 added package blocked\. 1 new finding/);
    // No line with a name from outside is a command to the host.
    const shownParts = malware.log.split(/^::(?:stop-commands::)?[0-9a-f-]{36}(?:::)?$/m);
    expect(shownParts).toHaveLength(3);
    expect(shownParts[1]).toMatch(/^block {2}pkg:npm\/evil@1\.0\.0/m);
    expect(shownParts[0] + (shownParts[2] ?? '')).not.toContain('evil');
    // The scan has no finding of such a package.
    const missing = pullRequest('gate-missing', { good: '1.0.0' }, { good: '1.0.0', absent: '1.0.0' });
    const given = { ...none, policy: policy({ missing: 'block' }, { unindexed: { level: 'off' } }) };
    const blocked = await runScan(missing.folder, missing.event, given);
    expect([blocked.code, blocked.read('output')]).toEqual([1, expect.stringContaining('blocked=1\n')]);
    const shown = await runScan(missing.folder, missing.event, { ...given, 'fail-on': 'never' });
    expect([shown.code, shown.read('output')]).toEqual([0, expect.stringContaining('blocked=1\n')]);
  });

  it('sends no private package to the service, and judges nothing without a base', async () => {
    const { folder, event } = pullRequest(
      'private',
      { good: '1.0.0' },
      { good: '1.0.0', '@own/tool': '1.0.0' },
    );
    const own = JSON.stringify({ insights: { url: service.url, privatePackages: ['@own/*'] } });
    const given = { comment: 'false', upload: 'false', policy: own };
    const { code, read } = await runScan(folder, event, given);
    expect([code, read('output')]).toEqual([0, expect.stringContaining('blocked=0\nwarned=0\n')]);
    const alone = await runScan(folder, event, { ...given, compare: 'never' });
    expect(alone.read('summary')).not.toContain('Added packages');
  });

  it('keeps its verdict when the token may only read, as for forks', async () => {
    github.state.refuses = true;
    const { folder, event } = pullRequest('fork', { good: '1.0.0' }, { worse: '1.0.0' });
    const { code, log } = await runScan(folder, event);
    github.state.refuses = false;
    expect(code).toBe(1);
    expect(log).toMatch(/::warning title=Lockhound::the SARIF file was not uploaded .*HTTP 403/);
    expect(log).toMatch(/::warning title=Lockhound::the comment was not written .*HTTP 403/);
  });

  it('uploads nothing that would close alerts as fixed when look-ups failed', async () => {
    const uploads = github.state.uploads.length;
    const { folder, commit } = repositories.create('away', { 'package-lock.json': lock({ good: '1.0.0' }) });
    const base = commit({ 'requirements.txt': 'flawed==1.0.0\n' });
    commit({ 'README.md': 'changed' });
    // It fails for one system alone.
    const partly = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (/pypi/i.test(body + request.url)) return response.writeHead(400).end('{}');
      const headers = { 'content-type': 'application/json' };
      const { method = 'GET', url } = request;
      const answer = await fetch(`${service.url}${url}`, { method, headers, ...(body && { body }) });
      return response.writeHead(answer.status, headers).end(await answer.text());
    }).listen(0, '127.0.0.1');
    await once(partly, 'listening');
    const { port } = partly.address() as AddressInfo;
    const event = { pull_request: { number: 7, base: { sha: base } } };
    const { log } = await runScan(folder, event, {}, `http://127.0.0.1:${port}`);
    partly.close();
    expect(log).toContain('::warning title=Lockhound::the SARIF file is not uploaded');
    expect(github.state.uploads).toHaveLength(uploads);
  });

  it('compares the head of a branch that merged the base with the base, and not with its own past', async () => {
    const { folder, build } = repositories.create('merged-in');
    const [, , base = ''] = build([
      { branch: 'feature', files: { 'package-lock.json': lock({ good: '1.0.0' }) } },
      { branch: 'feature', parents: [0], files: { 'package-lock.json': lock({ flawed: '1.0.0' }) } },
      { branch: 'base', parents: [0], files: { 'README.md': 'the base moved on' } },
      { branch: 'main', parents: [1, 2], files: { 'README.md': 'the base moved on' } },
    ]);
    const none = { comment: 'false', upload: 'false' };
    const event = { pull_request: { number: 7, base: { sha: base } } };
    const ofHost = { GITHUB_SHA: 'a'.repeat(40) };
    const { code, read } = await runScan(folder, event, none, service.url, ofHost);
    expect([code, read('output')]).toEqual([1, expect.stringContaining('findings=1\nknown=0\n')]);
    const queued = { merge_group: { base_sha: base } };
    const inQueue = await runScan(folder, queued, none, service.url, { GITHUB_REF: 'refs/heads/queue' });
    expect(inQueue.read('output')).toContain('findings=1\nknown=0\n');
    expect(JSON.parse(inQueue.read('lockhound/scan.json')).comparison.introduced).toHaveLength(1);
  });

  it('does not compare the base with itself', async () => {
    const { folder, commit } = repositories.create('itself', {
      'package-lock.json': lock({ flawed: '1.0.0' }),
    });
    const base = commit({ 'README.md': 'changed' });
    const event = { pull_request: { number: 7, base: { sha: base } } };
    const { code, log } = await runScan(folder, event, { comment: 'false', upload: 'false' });
    expect([code, log]).toEqual([1, expect.stringContaining('its base is what is checked out')]);
  });

  it('warns of no base where the event has none', async () => {
    const { folder } = repositories.create('dispatched', {
      'package-lock.json': lock({ flawed: '1.0.0' }),
    });
    const { code, log } = await runScan(folder, { inputs: {} }, { comment: 'false', upload: 'false' });
    expect([code, log]).toEqual([1, expect.not.stringContaining('::warning')]);
  });

  it('counts everything when the clone has no base, and says so', async () => {
    const { folder } = repositories.create('shallow', { 'package-lock.json': lock({ flawed: '1.0.0' }) });
    const missing = { pull_request: { number: 7, base: { sha: 'a'.repeat(40) } } };
    const requests = github.requests.length;
    const { code, log } = await runScan(folder, missing, { comment: 'false', upload: 'false' });
    expect(code).toBe(1);
    expect(log).toContain('::warning title=Lockhound::the clone has no commit to compare with');
    expect(github.requests.length).toBe(requests);
  });

  it('follows the policy of its inputs, which are never code', async () => {
    const { folder, event } = pullRequest('policy', { good: '1.0.0' }, { flawed: '1.0.0' });
    mkdirSync(join(folder, 'empty'));
    const none = { comment: 'false', upload: 'false' };
    expect((await runScan(folder, event, { 'fail-on': 'critical', ...none })).code).toBe(0);
    const { code, log } = await runScan(folder, event, { target: '$(touch pwned); `touch pwned`', ...none });
    expect([code, git(folder, 'status', '--porcelain')]).toEqual([1, '']);
    expect(log).not.toContain('pwned:');
    const failed = await runScan(folder, {}, { paths: '--help', ...none });
    expect([failed.code, failed.read('output')]).toEqual([2, 'exit-code=2\n']);
  });

  it('counts findings, not notes, in its outputs', async () => {
    const { folder, event } = pullRequest('notes', { good: '88.0.0' }, { good: '99.0.0' });
    const { code, log, read } = await runScan(folder, event, { comment: 'false', upload: 'false' });
    expect(log).toContain('unindexed');
    expect([code, read('output')]).toEqual([
      0,
      'exit-code=2\nexit-code=0\nfindings=0\nknown=0\ngone=0\ngaps=0\nblocked=0\nwarned=1\n',
    ]);
  });

  it('sets the exit code when the scan ends with an error', async () => {
    const { folder, event } = pullRequest('broken', { good: '1.0.0' }, { good: '2.0.0' });
    const none = { comment: 'false', upload: 'false' };
    const { code, read } = await runScan(folder, event, { 'fail-on': 'hihg', ...none });
    expect([code, read('output')]).toEqual([2, 'exit-code=2\n']);
  });
});

describe('the step Install', () => {
  const text = readFileSync(join(ROOT, 'scripts/action-install'), 'utf8');
  const tools = (/^tools=\(\n(.+?)^\)/ms.exec(text)?.[1] ?? '').trim().split(/\s+/);

  it('leaves out packages that exist', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(tools.length).toBeGreaterThan(10);
    expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(tools));
  });

  it('leaves out nothing that the sources load', () => {
    const src = join(ROOT, 'src');
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const loaded = files.flatMap((file) => {
      const code = readFileSync(join(src, file), 'utf8');
      const found = [
        ...code.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^'.][^']*)'/gm),
        ...code.matchAll(/(?:import|loadPackage)\('([^'.][^']*)'\)/g),
      ];
      return found.map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '');
    });
    expect(loaded).toContain('semver');
    expect([...new Set(loaded)].filter((name) => tools.includes(name))).toEqual([]);
  });
});

describe('everything that runs is pinned', () => {
  it('actions by commit, Node by version, and no expression is part of a script', () => {
    for (const { uses, run = '' } of action.runs.steps) {
      if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/);
      expect(run).not.toContain('${{');
    }
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const node = action.runs.steps.find(({ name }) => name === 'Node.js');
    expect(node?.with?.['node-version']).toBe(packages['node_modules/node'].version);
  });
});
