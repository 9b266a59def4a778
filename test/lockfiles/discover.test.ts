import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DiscoveredLockfile, discoverLockfiles, type UnreadPath } from '../../src/lockfiles/discover.ts';
import { trackedFiles } from '../../src/sources/git/local-repository.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'discover-'));
});
afterEach(() => rm(root, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

const tracked = (folder: string) => {
  const { signal } = new AbortController();
  return trackedFiles(folder, { inherited: { PATH: process.env['PATH'] ?? '' }, signal });
};

async function discovered(paths: readonly string[], format?: string) {
  const results: (DiscoveredLockfile | UnreadPath)[] = [];
  for await (const one of discoverLockfiles(paths, { format, tracked })) results.push(one);
  return results;
}

async function found(paths: readonly string[] = [root], format?: string): Promise<string[]> {
  return (await discovered(paths, format)).map(({ relativePath }) => relativePath);
}

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
    cwd: root,
    stdio: 'ignore',
  });
}

const LOCK = '{"lockfileVersion": 3, "packages": {}}';

describe('discovery', () => {
  it('finds lockfiles in folders in a stable order and skips folders of installed packages', async () => {
    await write({
      'package-lock.json': LOCK,
      'b/package-lock.json': LOCK,
      'a/deep/er/npm-shrinkwrap.json': LOCK,
      'a/readme.md': '',
      'node_modules/x/package-lock.json': LOCK,
      'a/vendor/package-lock.json': LOCK,
      'a/vendor/x/package-lock.json': LOCK,
      'target/package-lock.json': LOCK,
      'target/vendor/package-lock.json': LOCK,
      'node_modules/vendor/package-lock.json': LOCK,
      '.git/package-lock.json': LOCK,
    });
    expect(await found()).toEqual([
      'a/deep/er/npm-shrinkwrap.json',
      'a/vendor/package-lock.json',
      'b/package-lock.json',
      'package-lock.json',
      'target/package-lock.json',
    ]);
  });

  it('respects .gitignore: folders, patterns, negation, precedence of the nearest one', async () => {
    await write({
      '.gitignore': 'dist/\n/only-here\n*.tmp\nfixtures/**\n',
      'dist/package-lock.json': LOCK,
      'only-here/package-lock.json': LOCK,
      'sub/only-here/package-lock.json': LOCK,
      'sub/.gitignore': 'package-lock.json\n!keep/package-lock.json\n',
      'sub/package-lock.json': LOCK,
      'sub/keep/package-lock.json': LOCK,
      'fixtures/a/package-lock.json': LOCK,
    });
    expect(await found()).toEqual(['sub/keep/package-lock.json']);
  });

  it('reads what git tracks although a .gitignore names it, in submodules and worktrees, too', async () => {
    await write({
      '.gitignore': 'dist/\npackage-lock.json\n',
      'package-lock.json': LOCK,
      'dist/deep/yarn.lock': LOCK,
      'dist/untracked/yarn.lock': LOCK,
      'untracked/package-lock.json': LOCK,
      'module/.gitignore': 'yarn.lock\n',
      'module/yarn.lock': LOCK,
      'module/package-lock.json': LOCK,
    });
    git('init', '-q');
    git('add', '--force', 'package-lock.json', 'dist/deep', '.gitignore');
    git('-C', 'module', 'init', '-q');
    git('-C', 'module', 'add', '--force', 'yarn.lock', '.gitignore');
    expect(await found()).toEqual(['dist/deep/yarn.lock', 'module/yarn.lock', 'package-lock.json']);
    expect(await found([join(root, 'dist')])).toEqual(['deep/yarn.lock', 'untracked/yarn.lock']);
    git('commit', '-qm', 'a');
    git('worktree', 'add', '-q', 'tree');
    expect(await found([join(root, 'tree')])).toEqual(['dist/deep/yarn.lock', 'package-lock.json']);
  });

  it('reports a lockfile that a .gitignore names when git cannot say whether it is tracked', async () => {
    await write({
      '.git': 'gitdir: nowhere',
      '.gitignore': 'package-lock.json',
      'package-lock.json': LOCK,
      'yarn.lock': LOCK,
    });
    expect(await discovered([root])).toMatchObject([
      {
        relativePath: 'package-lock.json',
        error: { code: 'unreadable', message: expect.stringContaining('whether git tracks it is not known') },
      },
      { relativePath: 'yarn.lock', format: 'yarn-lock' },
    ]);
  });

  it('ignores nothing for a name that differs in case', async () => {
    await write({ '.gitignore': 'Packages/', 'packages/yarn.lock': LOCK, 'Packages/yarn.lock': LOCK });
    expect(await found()).toEqual(['packages/yarn.lock']);
  });

  it('tells of manifests without a lockfile beside or above them', async () => {
    await write({
      '.gitignore': 'ignored/\nlib/Cargo.lock\n',
      'package-lock.json': LOCK,
      'package.json': '{}',
      'packages/member/package.json': '{}',
      'packages/member/pyproject.toml': '',
      'lib/Cargo.toml': '',
      'lib/Cargo.lock': '',
      'ignored/Gemfile': '',
      'vendor/x/Gemfile': '',
      'vendor/composer.json': '{}',
      'node_modules/x/Gemfile': '',
      'go/go.mod': 'module a',
      'web/bun.lockb': '',
      'web/package.json': '{}',
    });
    const unlocked = async (folder: string) => {
      const paths: string[] = [];
      const onUnlocked = ({ relativePath }: { relativePath: string }) => void paths.push(relativePath);
      for await (const _ of discoverLockfiles([folder], { tracked, onUnlocked }));
      return paths;
    };
    expect(await unlocked(root)).toEqual(['lib/Cargo.toml', 'packages/member/pyproject.toml']);
    // Above the named folder, a lockfile counts within the same repository only.
    expect(await unlocked(join(root, 'packages'))).toEqual(['member/package.json', 'member/pyproject.toml']);
    git('init', '-q');
    expect(await unlocked(join(root, 'packages'))).toEqual(['member/pyproject.toml']);
  });

  it('ignores nothing by a rule that takes exponential time, and reads what it would leave out', async () => {
    const deep = 'a/'.repeat(40);
    await write({
      '.gitignore': `${'**/a/'.repeat(8)}package-lock.json\n${'**/a/'.repeat(8)}c\nother/\n`,
      [`${deep}package-lock.json`]: LOCK,
      'other/package-lock.json': LOCK,
    });
    expect(await found()).toEqual([`${deep}package-lock.json`]);
  });

  it('reads on when a line of .gitignore is longer than an expression may be', async () => {
    await write({
      '.gitignore': `${'a'.repeat(100_000)}\nother/\n`,
      'package-lock.json': LOCK,
      'other/yarn.lock': '',
    });
    expect(await found()).toEqual(['package-lock.json']);
  });

  it('treats a folder named .gitignore as a folder', async () => {
    await write({ '.gitignore/package-lock.json': LOCK });
    expect(await found()).toEqual(['.gitignore/package-lock.json']);
  });

  it('follows no links out of the folder and no cycles of links', async () => {
    await write({ 'a/package-lock.json': LOCK });
    await symlink(root, join(root, 'a', 'circle'));
    await symlink(join(root, 'a', 'package-lock.json'), join(root, 'package-lock.json'));
    expect(await found()).toEqual(['a/package-lock.json']);
  });

  it('finds unsupported files unless a supported one overrides them', async () => {
    await write({ 'a/bun.lockb': '', 'b/bun.lockb': '', 'b/bun.lock': LOCK });
    expect(await found()).toEqual(['a/bun.lockb', 'b/bun.lock']);
  });

  it('prefers the shrinkwrap over the package-lock, as npm does', async () => {
    await write({ 'package-lock.json': LOCK, 'npm-shrinkwrap.json': LOCK });
    expect(await found()).toEqual(['npm-shrinkwrap.json']);
  });

  it('reads a named file as the detected or the given format', async () => {
    await write({ 'lock.txt': LOCK, 'other.txt': 'hello' });
    expect(await found([join(root, 'lock.txt')])).toEqual(['lock.txt']);
    expect(await found([join(root, 'other.txt')], 'npm-package-lock')).toEqual(['other.txt']);
  });

  it.each([
    ['other.txt', undefined, 'unknown-format'],
    ['lock.txt', 'no-such-format', 'unknown-format'],
    ['absent.json', undefined, 'not-found'],
  ])('refuses %s as %s: %s', async (file, format, code) => {
    await write({ 'lock.txt': LOCK, 'other.txt': 'hello' });
    await write({ 'other/package-lock.json': LOCK });
    const results = await discovered([join(root, file), join(root, 'other')], format);
    expect(results).toMatchObject([
      { relativePath: file, error: { code } },
      { relativePath: 'other/package-lock.json' },
    ]);
  });

  it('finds what is named twice once', async () => {
    await write({ 'package-lock.json': LOCK, 'a/yarn.lock': LOCK });
    await symlink(root, join(root, 'again'));
    const named = [
      root,
      `${root}/.`,
      join(root, 'a'),
      join(root, 'a', 'yarn.lock'),
      join(root, 'again', 'a'),
    ];
    expect(await found(named)).toEqual(['a/yarn.lock', 'package-lock.json']);
  });

  it('gives lockfiles of several named folders paths that differ', async () => {
    await write({ 'a/package-lock.json': LOCK, 'b/package-lock.json': LOCK, 'b/c/package-lock.json': LOCK });
    expect(await found([join(root, 'a'), join(root, 'b')])).toEqual([
      'a/package-lock.json',
      'b/c/package-lock.json',
      'b/package-lock.json',
    ]);
    expect(
      await found([join(root, 'b', 'c', 'package-lock.json'), join(root, 'b', 'package-lock.json')]),
    ).toEqual(['c/package-lock.json', 'package-lock.json']);
  });

  it('continues after unreadable paths and reports them', async () => {
    await write({ 'package-lock.json': LOCK, 'z/package-lock.json': LOCK, 'outside.json': LOCK, 'y/x': '' });
    await mkdir(Buffer.concat([Buffer.from(join(root, 'z', 'non')), Buffer.of(0xff), Buffer.from('utf')]));
    await mkdir(join(root, 'y', 'uv.lock'));
    await symlink(join(root, 'outside.json'), join(root, 'y', 'package-lock.json'));
    await symlink('/dev/zero', join(root, 'z', 'go.sum'));
    await symlink('nowhere', join(root, 'z', 'Cargo.lock'));
    execFileSync('mkfifo', [join(root, 'z', 'yarn.lock'), join(root, 'z', 'no-lockfile')]);
    expect(await discovered([join(root, 'y'), join(root, 'z')])).toMatchObject([
      { relativePath: 'y/package-lock.json', error: { code: 'outside' } },
      { relativePath: 'z/Cargo.lock', error: { code: 'not-found' } },
      { relativePath: 'z/go.sum', error: { code: 'not-a-file' } },
      { relativePath: 'z/non\ufffdutf/', error: { code: 'unreadable' } },
      { relativePath: 'z/package-lock.json', format: 'npm-package-lock' },
      { relativePath: 'z/yarn.lock', error: { code: 'not-a-file' } },
    ]);
  });

  it('reports a folder that disappears during the search', async () => {
    await write({ 'a/package-lock.json': LOCK, 'b/package-lock.json': LOCK, 'c/package-lock.json': LOCK });
    const results: [string, string | undefined][] = [];
    for await (const { relativePath, error } of discoverLockfiles([root], { tracked })) {
      results.push([relativePath, error?.code]);
      await rm(join(root, 'b'), { recursive: true, force: true });
    }
    expect(results).toEqual([
      ['a/package-lock.json', undefined],
      ['b/', 'not-found'],
      ['c/package-lock.json', undefined],
    ]);
  });

  it('searches thousands of files', async () => {
    for (let folder = 0; folder < 40; folder += 1) {
      await mkdir(join(root, `f${folder}`));
      await Promise.all(
        Array.from({ length: 100 }, (_, file) => writeFile(join(root, `f${folder}`, `${file}.ts`), '')),
      );
      await writeFile(join(root, `f${folder}`, 'package-lock.json'), LOCK);
    }
    expect(await found()).toHaveLength(40);
  });
});
