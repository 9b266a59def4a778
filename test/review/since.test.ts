import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type InsightsService, startInsightsService } from '../../src/embedded/insights/service.ts';
import { lockhound } from '../cli/lockhound.ts';
import { git, openRepositories, type Repositories } from '../sources/repositories.ts';
import { DATA, type Packages, WRITERS } from './histories.ts';

let repositories: Repositories;
let service: InsightsService;
const start = process.cwd();

beforeAll(async () => {
  repositories = openRepositories();
  service = await startInsightsService({ data: DATA });
  writeFileSync(
    join(repositories.root, 'lockhound.yaml'),
    JSON.stringify({ insights: { url: service.url } }),
  );
});
afterEach(() => {
  process.chdir(start);
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await service.close();
  repositories.close();
});

interface JsonReport {
  readonly findings: readonly {
    readonly fingerprint: string;
    readonly package: { readonly name: string };
    readonly fixes?: readonly { readonly version?: string }[];
  }[];
  readonly comparison: {
    readonly introduced: readonly string[];
    readonly gone: readonly { readonly package: { readonly name: string } }[];
    readonly newGaps: readonly { readonly kind: string; readonly subject: string }[];
  };
}

async function scan(...options: readonly string[]) {
  const all = ['scan', '--json', '--config', join(repositories.root, 'lockhound.yaml'), ...options];
  const { code, out, note } = await lockhound(all);
  if (out === '') return { code, note, fresh: [], gone: [], same: [], gaps: [], fixes: [] };
  const { findings, comparison } = JSON.parse(out) as JsonReport;
  const plain = (name: string) => name.replace(/^.*[/:]/, '');
  const names = (wanted: boolean) =>
    findings
      .filter(({ fingerprint }) => comparison.introduced.includes(fingerprint) === wanted)
      .map((finding) => plain(finding.package.name))
      .sort();
  return {
    code,
    note,
    fresh: names(true),
    gone: comparison.gone.map((finding) => plain(finding.package.name)).sort(),
    same: names(false),
    fixes: findings.flatMap(({ package: { name }, fixes = [] }) =>
      fixes.map(({ version }) => `${plain(name)} ${version}`),
    ),
    gaps: comparison.newGaps.map(({ kind, subject }) => `${kind} ${subject}`),
  };
}

const file = (name: string, packages: Packages) => (WRITERS[name] ?? (() => ''))(packages);
const V1 = '1.0.0';

type Expected = { code: number; fresh?: string[]; gone?: string[]; same?: string[] };

const HISTORIES: readonly (readonly [string, string, Packages, Packages, Expected])[] = [
  [
    'an upgrade that fixes',
    'package-lock.json',
    { good: V1, flawed: V1 },
    { good: V1, flawed: '2.0.0' },
    { code: 0, gone: ['flawed'] },
  ],
  [
    'an upgrade that keeps the issue',
    'yarn.lock',
    { flawed: V1 },
    { flawed: '1.1.0' },
    { code: 0, same: ['flawed'] },
  ],
  [
    'a new package',
    'pnpm-lock.yaml',
    { flawed: V1 },
    { flawed: V1, worse: V1 },
    { code: 1, fresh: ['worse'], same: ['flawed'] },
  ],
  [
    'a removed package',
    'requirements.txt',
    { good: V1, worse: V1 },
    { good: V1 },
    { code: 0, gone: ['worse'] },
  ],
  ['a downgrade', 'poetry.lock', { flawed: '2.0.0' }, { flawed: '1.1.0' }, { code: 1, fresh: ['flawed'] }],
  [
    'one issue for another',
    'Cargo.lock',
    { flawed: V1 },
    { worse: V1 },
    { code: 1, fresh: ['worse'], gone: ['flawed'] },
  ],
  [
    'nothing but other packages',
    'go.mod',
    { flawed: V1, good: V1 },
    { flawed: V1, good: '2.0.0' },
    { code: 0, same: ['flawed'] },
  ],
  ['malware', 'Gemfile.lock', { good: V1 }, { good: V1, evil: V1 }, { code: 1, fresh: ['evil'] }],
  [
    'several at once',
    'packages.lock.json',
    { flawed: V1, evil: V1 },
    { worse: V1, evil: V1 },
    { code: 1, fresh: ['worse'], gone: ['flawed'], same: ['evil'] },
  ],
  [
    'an order',
    'gradle.lockfile',
    { flawed: V1, worse: V1 },
    { worse: V1, flawed: V1 },
    { code: 0, same: ['flawed', 'worse'] },
  ],
];

describe('scan --since over histories of ten formats', () => {
  let folder: string;
  beforeAll(() => {
    const files = (at: 2 | 3) =>
      Object.fromEntries(HISTORIES.map((one) => [`${one[1]}.d/${one[1]}`, file(one[1], one[at])]));
    const repository = repositories.create('formats', files(2));
    repository.commit(files(3));
    folder = repository.folder;
  });

  it.each(HISTORIES)('%s (%s)', async (_what, name, _before, _after, expected) => {
    process.chdir(join(folder, `${name}.d`));
    const wanted = { fresh: [], gone: [], same: [], ...expected };
    expect(await scan('--since', 'HEAD~1')).toMatchObject(wanted);
  });

  it('the other direction, from git alone: what is new is gone, and the other way round', async () => {
    process.chdir(folder);
    const back = await scan('--since', 'HEAD..HEAD~1', 'packages.lock.json.d');
    expect(back).toMatchObject({ code: 1, fresh: ['flawed'], gone: ['worse'], same: ['evil'] });
  });
});

describe('scan --since', () => {
  const lock = (packages: Packages) => file('package-lock.json', packages);

  it('compares with the newest common commit when three dots are written', async () => {
    const { folder, build } = repositories.create('branches');
    const files = (packages: Packages) => ({ 'package-lock.json': lock(packages) });
    build([
      { branch: 'main', files: files({ flawed: V1 }) },
      { branch: 'feature', parents: [0], files: files({ flawed: V1, good: V1 }) },
      { branch: 'main', parents: [0], files: files({ good: V1 }) },
    ]);
    git(folder, 'checkout', '--quiet', 'feature');
    process.chdir(folder);
    expect(await scan('--since', 'main')).toMatchObject({ code: 1, fresh: ['flawed'] });
    expect(await scan('--since', 'main...')).toMatchObject({ code: 0, same: ['flawed'] });
    expect(await scan('--since', 'main...feature')).toMatchObject({ code: 0, same: ['flawed'] });
    expect(await scan('--since', 'main..feature')).toMatchObject({ code: 1, fresh: ['flawed'] });
  });

  it('counts a further lockfile with a known issue, and not one that was moved', async () => {
    const { folder } = repositories.create('places', { 'a/package-lock.json': lock({ flawed: V1 }) });
    process.chdir(folder);
    mkdirSync('b');
    writeFileSync('b/package-lock.json', lock({ flawed: V1 }));
    expect(await scan('--since', 'HEAD')).toMatchObject({ code: 1, fresh: ['flawed'] });
    rmSync('a', { recursive: true });
    expect(await scan('--since', 'HEAD')).toMatchObject({ code: 0, same: ['flawed'], gone: [] });
    expect(await scan('--since', 'HEAD', 'b')).toMatchObject({ code: 1, fresh: ['flawed'] });
  });

  it('takes the files of the working tree, and leaves out what a search ignores', async () => {
    const { folder } = repositories.create('tree', {
      'package-lock.json': lock({ good: V1 }),
      'ignored/package-lock.json': lock({ worse: V1 }),
    });
    process.chdir(folder);
    writeFileSync('.gitignore', 'ignored/\n');
    writeFileSync('package-lock.json', lock({ flawed: V1 }));
    const tracked = await scan('--since', 'HEAD');
    expect(tracked).toMatchObject({ code: 1, fresh: ['flawed'], gone: [] });
    expect(tracked.fixes).toHaveLength(2);
    git(folder, 'rm', '-q', '--cached', 'ignored/package-lock.json');
    const before = readFileSync('.git/index');
    expect(await scan('--since', 'HEAD')).toMatchObject({
      code: 1,
      fresh: ['flawed'],
      gone: [],
      fixes: ['flawed 2.0.0'],
    });
    expect((await scan('--since', 'HEAD', '--no-advice')).fixes).toEqual([]);
    expect(readFileSync('.git/index').equals(before)).toBe(true);
    expect(git(folder, 'status', '--porcelain')).toBe(
      'D  ignored/package-lock.json\n M package-lock.json\n?? .gitignore',
    );
  });

  it('has the same bytes at any time with SOURCE_DATE_EPOCH, and no ages', async () => {
    const { folder, commit } = repositories.create('times', {
      'package-lock.json': lock({ flawed: V1, worse: V1 }),
    });
    commit({ 'package-lock.json': lock({ flawed: V1 }) });
    process.chdir(folder);
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000');
    vi.useFakeTimers({ toFake: ['Date'] });
    const config = join(repositories.root, 'lockhound.yaml');
    const scanAt = async (time: string): Promise<string> => {
      vi.setSystemTime(time);
      const { out } = await lockhound([
        'scan',
        '--json',
        '--config',
        config,
        '--since',
        'HEAD~1',
        '--no-cache',
      ]);
      return out;
    };
    const first = await scanAt('2026-05-01T08:00:00.123Z');
    expect(await scanAt('2026-05-03T20:30:10.456Z')).toBe(first);
    expect(JSON.parse(first).comparison.gone).toHaveLength(1);
    expect(first).not.toContain('"age"');
  });

  it('works in a bare repository, and for a commit without lockfiles', async () => {
    const { folder, commit } = repositories.create('source', { 'README.md': 'nothing' });
    commit({ 'package-lock.json': lock({ flawed: V1 }) });
    execFileSync('git', ['clone', '--quiet', '--bare', folder, join(repositories.root, 'bare')]);
    process.chdir(join(repositories.root, 'bare'));
    expect(await scan('--since', 'main~1..main')).toMatchObject({ code: 1, fresh: ['flawed'] });
    expect(await scan('--since', 'main..main~1')).toMatchObject({ code: 0, gone: ['flawed'] });
  });

  it('fails for what it can no longer read, and not for what it never could', async () => {
    const { folder, commit } = repositories.create('gaps', {
      'package-lock.json': lock({ good: V1 }),
      'broken/package-lock.json': '{',
    });
    commit({ 'package-lock.json': lock({ good: V1, flawed: '2.0.0' }) });
    process.chdir(folder);
    expect(await scan('--since', 'HEAD~1')).toMatchObject({ code: 0, gaps: [] });
    writeFileSync('broken/package-lock.json', '{"');
    expect(await scan('--since', 'HEAD~1')).toMatchObject({
      code: 2,
      gaps: ['lockfile broken/package-lock.json'],
    });
    writeFileSync('package-lock.json', '');
    writeFileSync('broken/package-lock.json', lock({ good: V1 }));
    expect((await scan('--since', 'HEAD~1')).code).toBe(2);
  });

  let plain: string;
  beforeAll(() => {
    plain = repositories.create('plain', { 'package-lock.json': lock({}) }).folder;
  });
  it.each([
    ['--output=evil', 'is not the name of a commit'],
    ['HEAD~9', 'there is no commit "HEAD~9"'],
    ['HEAD..--all', 'is not the name of a commit'],
    ['HEAD....HEAD', 'there is no commit ".HEAD"'],
  ])('refuses the range %s', async (range, message) => {
    process.chdir(plain);
    const { code, note } = await scan(`--since=${range}`);
    expect([code, existsSync('evil')]).toEqual([2, false]);
    expect(note).toContain(message);
  });
});

describe('scan --baseline', () => {
  const lock = (packages: Packages) => file('package-lock.json', packages);

  it('accepts the findings of an earlier report, and malware never', async () => {
    const { folder } = repositories.create('baseline', { 'package-lock.json': lock({ flawed: V1 }) });
    process.chdir(folder);
    await scan('--report', 'json=base.json', '--since', 'HEAD');
    expect(await scan('--baseline', 'base.json')).toMatchObject({ code: 0, same: ['flawed'], fresh: [] });
    // A report of another target, and one from the future, are as good.
    const text = readFileSync('base.json', 'utf8').replace(/"requestedAt":"\d+/, '"requestedAt":"2999');
    writeFileSync('future.json', text);
    writeFileSync('package-lock.json', lock({ flawed: '1.1.0', worse: V1 }));
    expect(await scan('--baseline', 'future.json', '--target', 'other')).toMatchObject({
      code: 1,
      same: ['flawed'],
      fresh: ['worse'],
    });
    writeFileSync('package-lock.json', lock({ evil: V1 }));
    await scan('--report', 'json=malware.json', '--since', 'HEAD');
    expect(await scan('--baseline', 'malware.json')).toMatchObject({ code: 1, fresh: [], same: ['evil'] });
    expect((await scan('--baseline', 'malware.json', '--fail-on', 'never')).code).toBe(0);
  });

  let invalid: string;
  beforeAll(() => {
    invalid = repositories.create('invalid', { 'package-lock.json': lock({ good: V1 }) }).folder;
  });
  it.each([
    ['nothing.json', undefined, 'no such file'],
    ['empty.json', '', 'is not JSON'],
    ['half.json', '{"schema":"lockhound.scan/1","findings":[', 'is not JSON'],
    ['other.json', '{"schema":"lockhound.diff/1"}', 'schema: Invalid input'],
    ['/dev/zero', undefined, 'only regular files are read'],
  ])('is an error for %s', async (name, content, message) => {
    process.chdir(invalid);
    if (content !== undefined) writeFileSync(name, content);
    const { code, note } = await scan('--baseline', name);
    expect(code).toBe(2);
    expect(note).toContain(message);
  });

  it('is not accepted together with --since', async () => {
    expect((await scan('--baseline', 'a', '--since', 'b')).code).toBe(2);
  });
});

it('every report says what is new, gone and unchanged', async () => {
  const lock = (packages: Packages) => file('package-lock.json', packages);
  const { folder, commit } = repositories.create('reports', {
    'package-lock.json': lock({ flawed: V1, evil: V1 }),
  });
  commit({ 'package-lock.json': lock({ worse: V1, evil: V1 }) });
  process.chdir(folder);
  const config = ['--config', join(repositories.root, 'lockhound.yaml')];
  const reports = ['--report', 'sarif=scan.sarif', '--report', 'markdown=comment.md'];
  const { out, code } = await lockhound(['scan', '--since', 'HEAD~1', ...config, ...reports]);
  expect(code).toBe(1);
  expect(out).toMatch(/Since HEAD~1 \([0-9a-f]{12}\): 1 new finding, 1 gone, 1 unchanged\./);
  expect(out).toMatch(/worse[@ ]1\.0\.0/);
  expect(out).toContain('gone  flawed@1.0.0');
  expect(out).not.toMatch(/evil[@ ]1\.0\.0/);
  const comment = readFileSync('comment.md', 'utf8');
  expect(comment).toMatch(/^### 1 new finding: 1 critical/);
  expect(comment).toContain('<details><summary>1 finding gone</summary>');
  expect(comment).toContain('<details><summary>1 finding unchanged</summary>');
  const [run] = JSON.parse(readFileSync('scan.sarif', 'utf8')).runs;
  const states = run.results.map(
    ({ ruleId, baselineState }: { ruleId: string; baselineState: string }) => `${ruleId} ${baselineState}`,
  );
  expect(states.toSorted()).toEqual(['GHSA-wors-0000-0002 new', 'MAL-2026-1 unchanged']);
  expect(JSON.stringify(run.invocations)).toContain('gone: flawed@1.0.0');
});
