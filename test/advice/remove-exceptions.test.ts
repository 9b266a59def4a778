import { expect, it } from 'vitest';
import { planRemovals } from '../../src/advice/remove-exceptions.ts';
import type { JudgedException } from '../../src/model/scan/exception.ts';

/** Overrides of a file by their selectors; those in `kept` are needed. */
function overrides(path: string, setting: string, removed: readonly string[], kept: readonly string[] = []) {
  const one = (subject: string, verdict: JudgedException['verdict']): JudgedException => {
    return {
      kind: 'override',
      path,
      setting,
      subject,
      value: `1 ${subject}`.slice(0, 1),
      verdict,
      evidence: 'e',
    };
  };
  return [...removed.map((name) => one(name, 'removable')), ...kept.map((name) => one(name, 'needed'))];
}

function commandsOf(format: string, judged: readonly JudgedException[], folder = '') {
  const [plan] = planRemovals([{ path: `${folder}lock`, format }], judged);
  return plan?.commands;
}

it.each<[string, readonly string[], readonly string[], string]>([
  ['an entry', ['a'], ['b'], "'overrides[a]'"],
  ['the last entry, with the mapping', ['a'], [], 'overrides'],
  ['an entry below a package', ['a>b'], ['a>c'], "'overrides[a][b]'"],
  ['the last entry below a package', ['a>b'], ['c'], "'overrides[a]'"],
  ['the package itself, beside entries below it', ['a'], ['a>b'], "'overrides[a][.]'"],
  ['a range', ['a@>=2.0.0 <2.1.7', 'b@>1>c'], ['d'], "'overrides[a@>=2.0.0 <2.1.7]' 'overrides[b@>1]'"],
])('removes %s from a package.json', (_case, removed, kept, keys) => {
  const judged = overrides('web/package.json', 'overrides', removed, kept);
  expect(commandsOf('npm-package-lock', judged, 'web/')).toEqual([`npm pkg delete ${keys}`, 'npm install']);
});

it('uses the settings of each manager', () => {
  expect(commandsOf('yarn-lock', overrides('package.json', 'resolutions', ['**/a/b'], ['c']))).toEqual([
    ...["npm pkg delete 'resolutions[**/a/b]'", 'yarn install --no-immutable'],
  ]);
  expect(commandsOf('pnpm-lock', overrides('package.json', 'pnpm.overrides', ['a>b'], ['c']))).toEqual([
    ...["npm pkg delete 'pnpm.overrides[a>b]'", 'pnpm install --no-frozen-lockfile'],
  ]);
  const workspace = (kept: readonly string[]) => overrides('pnpm-workspace.yaml', 'overrides', ['a'], kept);
  expect(commandsOf('pnpm-lock', workspace(["it's"]))).toEqual([
    `pnpm config set --location project --json overrides '{"it'\\''s":"1"}'`,
    'pnpm install --no-frozen-lockfile',
  ]);
  expect(commandsOf('pnpm-lock', workspace([]))?.[0]).toBe('pnpm config delete --location project overrides');
});

it('has no command where it could lose another entry, or for two lockfiles', () => {
  const [first, second] = overrides('pnpm-workspace.yaml', 'overrides', ['a'], ['b']);
  if (first === undefined || second === undefined) throw new Error('two entries');
  for (const value of ['git+https://git.example/b', 'x'.repeat(300)])
    expect(commandsOf('pnpm-lock', [first, { ...second, value }])).toBeUndefined();
  const { value: _, ...unknown } = second;
  expect(commandsOf('pnpm-lock', [first, unknown])).toBeUndefined();
  const judged = overrides('package.json', 'overrides', ['a']);
  const lockfiles = ['npm-package-lock', 'yarn-lock'].map((format) => ({ path: format, format }));
  expect(planRemovals(lockfiles, judged)).toEqual([]);
  expect(commandsOf('npm-package-lock', overrides('package.json', 'overrides', [], ['a']))).toBeUndefined();
  expect(
    commandsOf('uv-lock', overrides('pyproject.toml', 'tool.uv.override-dependencies', ['a'])),
  ).toBeUndefined();
});
