import { describe, expect, it } from 'vitest';
import { CUT } from '../../src/lockfiles/packages/lockfile-builder.ts';
import { NO_PACKAGE } from '../../src/lockfiles/read-as.ts';
import { readText } from './reading.ts';

const messagesOf = (path: string, text: string) =>
  readText(path, text).problems.map(({ message }) => message);

describe('a file that is cut where what is left of it is valid', () => {
  const YARN = '# yarn lockfile v1\n\na@^1.0.0:\n  version "1.0.0"\n  dependencies:\n    b "^1.0.0"\n';
  const UV = 'version = 1\n\n[[package]]\nname = "a"\nversion = "1"\ndependencies = [{ name = "b" }]\n';
  const POETRY = '[[package]]\nname = "a"\nversion = "1"\n';
  const PNPM =
    "lockfileVersion: '9.0'\n\npackages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-AA==}\n";
  const CARGO_CUT =
    '[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+https://h"\ndependencies = ["b"]\n';
  const BERRY_CUT =
    '__metadata:\n  version: 8\n\n"a@npm:^1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n  dependencies:\n    b: "npm:^1"\n  linkType: hard\n';
  const PDM_CUT = `[metadata]\nlock_version = "4.5"\n\n${POETRY}dependencies = ["B>=1", "c; os_name == 'nt'"]\n`;
  const PYLOCK = 'lock-version = "1.0"\ncreated-by = "pdm"\n\n[[packages]]\nname = "a"\nversion = "1"\n';
  const REQUIREMENT = `a==1 --hash=sha256:${'ab'.repeat(32)}`;
  it.each([
    ['yarn.lock', YARN, '\nb@^1.0.0:\n  version "1.0.0"\n'],
    ['uv.lock', UV, '\n[[package]]\nname = "B"\nversion = "1"\n'],
    ['poetry.lock', POETRY, '[metadata]\nlock-version = "2.0"\n'],
    ['pnpm-lock.yaml', PNPM, '\nsnapshots:\n\n  a@1.0.0: {}\n'],
    ['Cargo.lock', CARGO_CUT, '\n[[package]]\nname = "b"\nversion = "1.0.0"\n'],
    [
      'yarn.lock',
      BERRY_CUT,
      '\n"b@workspace:^, b@workspace:b":\n  resolution: "b@workspace:b"\n  linkType: soft\n',
    ],
    ['pdm.lock', PDM_CUT, '\n[[package]]\nname = "b"\nversion = "1"\n'],
    [
      'pylock.toml',
      `${PYLOCK}dependencies = [{ name = "b" }]\n`,
      '\n[[packages]]\nname = "b"\nversion = "1"\n',
    ],
    ['pylock.toml', PYLOCK.replace('pdm', 'pipenv'), '\n[tool.pipenv]\ngenerated_from = "Pipfile.lock"\n'],
    ['Gemfile.lock', 'GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1)\n', '\nDEPENDENCIES\n  a\n'],
    ['gradle.lockfile', 'g:a:1=compileClasspath\n', 'empty=\n'],
    ['go.mod', 'module m\n\ngo 1.21\n\nrequire (\n\texample.com/a v1.0.0\n', ')\n'],
    ['requirements.txt', `${REQUIREMENT.slice(0, -1)}`, 'b\n'],
    ['requirements.txt', 'a==1 \\\n', '  --hash=sha256:ab\n'],
  ])('is a problem: %s, %j', (path, head, rest) => {
    expect(messagesOf(path, head)).toEqual([expect.stringMatching(`: ${CUT}$`)]);
    expect(readText(path, head).packages[0]?.id).toMatch(/a@v?1/);
    expect(messagesOf(path, head + rest)).toEqual([]);
  });

  it('is a problem of its last line: go.sum', () => {
    const line = `example.com/a v1.0.0 h1:${'A'.repeat(43)}=`;
    expect(messagesOf('go.sum', line)).toEqual([]);
    expect(messagesOf('go.sum', line.slice(0, -9))).toHaveLength(1);
  });

  it('is a problem of a go.mod below Go 1.17, whose go.sum names the indirect modules', () => {
    const mod =
      'module m\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n\texample.com/c v1.0.0\n)\n';
    const replaced = 'replace example.com/c => ./c\n';
    const line = (name: string) => `example.com/${name} v1.0.0/go.mod h1:${'A'.repeat(43)}=\n`;
    const problemsOf = (sum: string) => readText('go.mod', mod + replaced, { 'go.sum': sum }).problems;
    expect(problemsOf(line('a'))).toEqual([
      expect.objectContaining({
        kind: 'unread',
        message: expect.stringMatching(`example.com/b v1.0.0: ${CUT}$`),
      }),
    ]);
    expect(problemsOf(line('a') + line('b'))).toEqual([]);
  });

  it('needs no entry for a folder of a workspace, which a package may need', () => {
    expect(messagesOf('yarn.lock', YARN.replace('b "^1.0.0"', 'Workspace "^1.0.0"'))).toEqual([]);
  });
});

it.each(['yarn.lock', 'Pipfile.lock', 'Cargo.lock', 'uv.lock', 'pdm.lock', 'pylock.toml'])(
  'an empty %s is a problem, because its tool writes no such file',
  (path) => {
    for (const text of ['', ' \n\r\n'])
      expect(readText(path, text)).toMatchObject({
        packages: [],
        problems: [{ kind: 'unread', message: NO_PACKAGE }],
      });
  },
);

it('a Cargo.lock with the content of a uv.lock has no crates', () => {
  const text = '[[package]]\nname = "a"\nversion = "1"\nsource = { registry = "https://pypi.org/simple" }\n';
  expect(readText('Cargo.lock', text)).toMatchObject({
    packages: [],
    problems: [{ kind: 'unread', message: '"a" has a source that is not a text' }],
  });
});

describe('a file that names the target, which needs no package', () => {
  const CARGO = '[[package]]\nname = "r"\nversion = "0.1.0"\n';
  const BERRY =
    '__metadata:\n  version: 8\n\n"r@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "r@workspace:."\n';
  const PNPM_EMPTY = "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n";
  const END = '  linkType: soft\n';
  const NEEDS = 'dependencies:\n    w: "workspace:*"\n';
  it.each([
    ['Cargo.lock', CARGO, `${CARGO}dependencies = [\n "a",\n]\n`],
    ['uv.lock', `version = 1\n\n${CARGO}source = { virtual = "." }\n`, undefined],
    ['package-lock.json', '{"lockfileVersion": 3, "packages": {"": {"name": "r"}}}', undefined],
    [
      'package-lock.json',
      '{"lockfileVersion": 3, "packages": {"": {"name": "r", "dependencies": {}}}}',
      '{"lockfileVersion": 3, "packages": {"": {"name": "r", "dependencies": {"a": "1"}}}}',
    ],
    ['yarn.lock', `${BERRY}  ${NEEDS}${END}`, `${BERRY}  ${NEEDS}    a: "npm:^1"\n${END}`],
    ['yarn.lock', `${BERRY}${END}`, BERRY],
    ['yarn.lock', `${BERRY}${END}`, `${BERRY}  dependencies:\n`],
    [
      'pnpm-lock.yaml',
      PNPM_EMPTY,
      "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n        specifier: '1'\n        version: 1.0.0\n",
    ],
    ['pnpm-lock.yaml', PNPM_EMPTY, "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n"],
    [
      'pnpm-lock.yaml',
      PNPM_EMPTY,
      "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n",
    ],
    [
      'bun.lock',
      '{"lockfileVersion": 1, "workspaces": {"": {"name": "r"}}, "packages": {}}',
      '{"lockfileVersion": 1, "workspaces": {"": {"name": "r", "dependencies": {"a": "1"}}}, "packages": {}}',
    ],
  ])('is read completely, and is not where the target needs one: %s %#', (path, text, lacking) => {
    expect(readText(path, text)).toMatchObject({ packages: [], problems: [] });
    if (lacking !== undefined) expect(messagesOf(path, lacking)).not.toEqual([]);
  });
});
