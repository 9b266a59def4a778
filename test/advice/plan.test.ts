import { expect, it } from 'vitest';
import { adviseOn } from '../../src/advice/advise-on.ts';
import { planFixes } from '../../src/advice/plan.ts';
import { openProject } from '../../src/advice/project.ts';
import { factsOf, lockfileOf, type Registry } from './registry.ts';

const BAD = { advisories: ['GHSA-1'] };

/** `affected`: ids with the numbers of their findings. */
async function plan(
  registry: Registry,
  lockfile: ReturnType<typeof lockfileOf>,
  affected: Readonly<Record<string, number>>,
) {
  const facts = factsOf(registry);
  const project = openProject(lockfile);
  const advised = [];
  for (const [id, findings] of Object.entries(affected)) {
    const one = lockfile.find(id);
    advised.push({ affected: one, findings, fix: await adviseOn(one, project, facts, 0) });
  }
  return await planFixes(advised, project, facts, 0);
}

const registry: Registry = {
  server: {
    '1.0.0': { needs: { query: '1.0.0', body: '1.0.0' } },
    '1.1.0': { needs: { query: '1.0.1', body: '1.0.0' } },
    '1.2.0': { needs: { query: '1.0.1', body: '1.0.1' } },
  },
  query: { '1.0.0': BAD, '1.0.1': {} },
  body: { '1.0.0': BAD, '1.0.1': {} },
  pad: { '1.0.0': BAD, '1.0.1': {} },
  old: { '1.0.0': BAD },
};
const locked = {
  'server@1.0.0': ['query@1.0.0', 'body@1.0.0'],
  'query@1.0.0': [],
  'body@1.0.0': [],
  'pad@1.0.0': [],
  'old@1.0.0': [],
};
const direct = { server: '1.0.0', pad: '^1.0.0', old: '^1.0.0' };

it('takes the version of a direct dependency that clears the findings of all packages', async () => {
  const { steps, commands, stays } = await plan(registry, lockfileOf(registry, direct, locked), {
    'query@1.0.0': 1,
    'body@1.0.0': 3,
    'pad@1.0.0': 2,
    'old@1.0.0': 1,
  });
  expect(
    steps.map(({ changes, clears }) => [changes.map(({ name, to }) => `${name}@${to}`), clears]),
  ).toEqual([
    [
      ['server@1.2.0'],
      [
        { id: 'query@1.0.0', findings: 1 },
        { id: 'body@1.0.0', findings: 3 },
      ],
    ],
    [['pad@1.0.1'], [{ id: 'pad@1.0.0', findings: 2 }]],
  ]);
  expect(commands).toEqual(['npm install server@1.2.0', 'npm update pad']);
  expect(stays).toEqual([
    { id: 'old@1.0.0', findings: 1, kind: 'none', reason: 'there is no later version' },
  ]);
});

it('leaves a package that the common version brings again', async () => {
  const other = {
    ...registry,
    server: { ...registry['server'], '1.2.0': { needs: { query: '1.0.0', body: '1.0.1' } } },
  };
  const { steps, stays } = await plan(other, lockfileOf(other, direct, locked), {
    'query@1.0.0': 1,
    'body@1.0.0': 1,
  });
  // The newest version brings query again, so that package has no upgrade, and an override comes last.
  expect(steps.map(({ changes }) => changes.map(({ how, name }) => `${how} ${name}`))).toEqual([
    ['upgrade server'],
    ['override query'],
  ]);
  expect(stays).toEqual([]);
});

it('raises the common version of a direct dependency until it is good for all packages', async () => {
  const other: Registry = {
    server: {
      '1.0.0': { needs: { query: '1.0.0', body: '1.0.0' } },
      '1.1.0': { needs: { query: '1.0.1', body: '1.0.0' } },
      '1.2.0': { needs: { query: '1.0.0', body: '1.0.1' } },
      '1.3.0': { needs: { query: '1.0.1', body: '1.0.1' } },
    },
    query: { '1.0.0': BAD, '1.0.1': {} },
    body: { '1.0.0': BAD, '1.0.1': {} },
  };
  const facts = factsOf(other);
  const lockfile = lockfileOf(
    other,
    { server: '1.0.0' },
    { 'server@1.0.0': ['query@1.0.0', 'body@1.0.0'], 'query@1.0.0': [], 'body@1.0.0': [] },
  );
  const project = openProject(lockfile);
  const upgradeTo = (to: string) => ({ name: 'server', from: '1.0.0', to, how: 'upgrade' as const });
  const advised = [];
  for (const [id, to] of [
    ['query@1.0.0', '1.1.0'],
    ['body@1.0.0', '1.2.0'],
  ] as const) {
    const affected = lockfile.find(id);
    const fix = await adviseOn(affected, project, facts, 0);
    advised.push({ affected, findings: 1, fix: { ...fix, changes: [upgradeTo(to)] } });
  }
  const { commands, stays } = await planFixes(advised, project, facts, 0);
  expect(commands).toEqual(['npm install server@1.3.0']);
  expect(stays).toEqual([]);
});

it('keeps upgrades to another major line apart, without those that bring again what others clear', async () => {
  const other: Registry = {
    pad: { '1.0.0': BAD, '2.0.0': {} },
    left: { '1.0.0': BAD, '1.0.1': {} },
    server: {
      '1.0.0': { needs: { query: '1.0.0', body: '1.0.0' } },
      '1.1.0': { needs: { query: '1.0.1', body: '1.0.0' } },
      '2.0.0': { needs: { query: '1.0.0', body: '1.0.1' } },
    },
    query: { '1.0.0': BAD, '1.0.1': {} },
    body: { '1.0.0': BAD, '1.0.1': {} },
  };
  const lockfile = lockfileOf(
    other,
    { pad: '1.0.0', left: '1.0.0', server: '1.0.0' },
    {
      'pad@1.0.0': [],
      'left@1.0.0': [],
      'server@1.0.0': ['query@1.0.0', 'body@1.0.0'],
      'query@1.0.0': [],
      'body@1.0.0': [],
    },
  );
  const ids = { 'pad@1.0.0': 3, 'left@1.0.0': 1, 'query@1.0.0': 1, 'body@1.0.0': 1 };
  const { commands, breaking, stays } = await plan(other, lockfile, ids);
  expect(commands).toEqual(['npm install left@1.0.1 server@1.1.0']);
  expect(breaking.commands).toEqual(['npm install pad@2.0.0']);
  expect(breaking.steps).toMatchObject([{ clears: [{ id: 'pad@1.0.0', findings: 3 }] }]);
  expect(stays).toMatchObject([{ id: 'body@1.0.0', kind: 'none' }]);
});

it('clears thousands of packages without comparing all with all', async () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `pad-${index}`);
  const many = Object.fromEntries(names.map((name) => [name, { '1.0.0': BAD, '1.0.1': {} }]));
  const lockfile = lockfileOf(
    many,
    Object.fromEntries(names.map((name) => [name, '^1.0.0'])),
    Object.fromEntries(names.map((name) => [`${name}@1.0.0`, []])),
  );
  const { steps, commands } = await plan(
    many,
    lockfile,
    Object.fromEntries(names.map((name) => [`${name}@1.0.0`, 1])),
  );
  expect(steps).toHaveLength(names.length);
  expect(commands).toHaveLength(1);
});
