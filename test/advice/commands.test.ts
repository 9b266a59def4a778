import { describe, expect, it } from 'vitest';
import { adviseOn } from '../../src/advice/advise-on.ts';
import { commandsFor } from '../../src/advice/commands.ts';
import { openProject } from '../../src/advice/project.ts';
import type { FixChange } from '../../src/model/advice/fix.ts';
import { factsOf, lockfileOf, type Registry } from './registry.ts';

const BAD = { advisories: ['GHSA-1'] };

describe('a package that the target and another package require', () => {
  const registry: Registry = {
    pad: { '1.0.0': BAD, '1.0.1': {}, '1.2.0': {} },
    tool: { '1.0.0': { needs: { pad: '^1.0.0' } } },
  };
  const lockfile = lockfileOf(
    registry,
    { pad: '1.0.0', tool: '1.0.0' },
    { 'pad@1.0.0': [], 'tool@1.0.0': ['pad@1.0.0'] },
  );
  async function commandsOf(format: string, statement = lockfile.statement) {
    const project = openProject({ ...lockfile, format, statement });
    return (await adviseOn(lockfile.find('pad@1.0.0'), project, factsOf(registry), 0)).commands;
  }

  it('is upgraded for both by npm', async () => {
    expect(await commandsOf('npm-package-lock')).toEqual(['npm install pad@1.0.1']);
  });

  it('is locked again for the other one by the others', async () => {
    expect(await commandsOf('pnpm-lock')).toEqual([
      'pnpm update --no-save --depth Infinity pad',
      'pnpm update pad@1.0.1',
    ]);
    expect(await commandsOf('yarn-lock')).toEqual(['yarn up --recursive pad', 'yarn up pad@1.0.1']);
    expect(await commandsOf('yarn-lock', { ...lockfile.statement, manager: 'yarn-1' })).toEqual([
      String.raw`awk 'BEGIN{RS="";ORS="\n\n"} !/(^|[", :])pad@[^\n]*:\n  version "1\.0\.0"/' yarn.lock > yarn.lock.new && mv yarn.lock.new yarn.lock`,
      'yarn install',
      'yarn upgrade pad@1.0.1',
    ]);
  });

  it('is upgraded for the target alone by Deno, which locks no single package again', async () => {
    expect(await commandsOf('deno-lock')).toEqual(['deno add npm:pad@1.0.1']);
  });
});

it('upgrades the requirements that the affected version fulfils, under the names that they have', () => {
  const own = (folder: string, requirement: string, alias?: string) => {
    return { by: '', folder, name: 'pad', requirement, ...(alias === undefined ? {} : { alias }) };
  };
  const requirements = [own('', '^1.0.0'), own('', 'npm:pad@1.0.0', 'old-pad'), own('web', '^1.2.0')];
  const { packages, ...lockfile } = lockfileOf({}, { pad: '1.0.0' }, { 'pad@1.0.0': [], 'pad@1.2.0': [] });
  const statement = { ...lockfile.statement, requirements };
  const direct = packages.map((one) => ({ ...one, direct: true }));
  const commandsOf = (format: string) =>
    commandsFor(
      [{ how: 'upgrade', name: 'pad', from: '1.0.0', to: '1.0.1' }],
      openProject({ ...lockfile, format, statement, packages: direct }),
    );
  expect(commandsOf('npm-package-lock')).toEqual(['npm install old-pad@npm:pad@1.0.1']);
  expect(commandsOf('pnpm-lock')).toEqual(['pnpm update old-pad@npm:pad@1.0.1']);
  expect(commandsOf('yarn-lock')).toEqual(['yarn up old-pad@npm:pad@1.0.1']);
  expect(commandsOf('bun-lock')).toEqual(['bun add old-pad@npm:pad@1.0.1']);
});

it('locks an affected version again for dependents that permit a good one, besides the upgrade of another', async () => {
  const registry: Registry = {
    pad: { '1.0.0': BAD, '1.0.1': {} },
    strict: { '1.0.0': { needs: { pad: '1.0.0' } }, '1.1.0': { needs: { pad: '1.0.1' } } },
    loose: { '1.0.0': { needs: { pad: '^1.0.0' } } },
  };
  const lockfile = lockfileOf(
    registry,
    { strict: '1.0.0', loose: '1.0.0' },
    { 'strict@1.0.0': ['pad@1.0.0'], 'loose@1.0.0': ['pad@1.0.0'], 'pad@1.0.0': [] },
  );
  const { commands } = await adviseOn(
    lockfile.find('pad@1.0.0'),
    openProject(lockfile),
    factsOf(registry),
    0,
  );
  expect(commands).toEqual(['npm install strict@1.1.0', 'npm update pad']);
});

it('upgrades what the target requires itself beside an override for another package', async () => {
  const registry: Registry = {
    pad: { '1.0.0': BAD, '1.1.0': {} },
    stuck: { '1.0.0': { needs: { pad: '~1.0.0' } } },
  };
  const lockfile = lockfileOf(
    registry,
    { pad: '~1.0.0', stuck: '1.0.0' },
    { 'pad@1.0.0': [], 'stuck@1.0.0': ['pad@1.0.0'] },
  );
  const fix = await adviseOn(lockfile.find('pad@1.0.0'), openProject(lockfile), factsOf(registry), 0);
  expect(fix).toMatchObject({
    kind: 'override',
    commands: ["npm pkg set 'overrides[stuck][pad]=1.1.0'", 'npm update pad', 'npm install pad@1.1.0'],
  });
});

describe('a package that is a peer of another one', () => {
  const registry: Registry = {
    marked: { '1.0.0': BAD, '1.1.0': {}, '1.2.0': {}, '2.0.0': {} },
    'marked-terminal': {
      '1.0.0': { peers: { marked: '~1.2.0 || 1.0.0' } },
      '2.0.0': {},
    },
    'marked-man': { '1.0.0': { peers: { marked: '1.0.0' } }, '2.0.0': {} },
  };
  const advise = async (other: string) => {
    const lockfile = lockfileOf(
      registry,
      { marked: '1.0.0', [other]: '1.0.0' },
      { 'marked@1.0.0': [], [`${other}@1.0.0`]: ['marked@1.0.0'] },
    );
    return await adviseOn(lockfile.find('marked@1.0.0'), openProject(lockfile), factsOf(registry), 0);
  };

  it('is upgraded to a version that the other one permits', async () => {
    expect(await advise('marked-terminal')).toMatchObject({ commands: ['npm install marked@1.2.0'] });
  });

  it('stays where that permits none: npm refuses another one', async () => {
    expect(await advise('marked-man')).toMatchObject({ kind: 'none', changes: [], commands: [] });
  });
});

describe('the commands for several changes', () => {
  const registry: Registry = {
    server: { '1.0.0': { needs: { body: '1.0.0', query: '1.0.0' } } },
    body: { '1.0.0': { needs: { query: '1.0.0' } } },
    query: { '1.0.0': {}, '2.0.0': {} },
    pad: { '1.0.0': {} },
  };
  const lockfile = lockfileOf(
    registry,
    { server: '1.0.0', pad: '1.0.0' },
    {
      'server@1.0.0': ['body@1.0.0', 'query@1.0.0'],
      'body@1.0.0': ['query@1.0.0'],
      'query@1.0.0': [],
      'query@2.0.0': [],
      'pad@1.0.0': [],
    },
  );
  const change = (how: FixChange['how'], name: string, to: string): FixChange => {
    return { how, name, from: '1.0.0', to };
  };

  it('upgrade last what is also locked again or overridden for others', () => {
    const changes = [
      change('upgrade', 'pad', '1.0.1'),
      change('upgrade', 'server', '1.1.0'),
      change('re-lock', 'pad', '1.9.0'),
      change('override', 'query', '2.0.0'),
    ];
    expect(commandsFor(changes, openProject(lockfile))).toEqual([
      'npm install server@1.1.0',
      'npm update pad',
      "npm pkg set 'overrides[server][query]=2.0.0' 'overrides[body@1.0.0][query]=2.0.0'",
      'npm update query',
      'npm install pad@1.0.1',
    ]);
  });

  it('keep the override of a package apart from those below it', () => {
    const changes = [change('override', 'query', '1.0.1'), change('override', 'body', '1.0.1')];
    expect(commandsFor(changes, openProject(lockfile))).toEqual([
      "npm pkg set 'overrides[server][query]=1.0.1' 'overrides[body][query]=1.0.1'",
      "npm pkg set 'overrides[body][.]=1.0.1'",
      'npm update query body',
    ]);
  });

  it('concern all folders of a workspace of pnpm', () => {
    const { requirements } = lockfile.statement;
    const member = { by: '', folder: 'packages/app', name: 'pad', requirement: '1.0.0' };
    const statement = { ...lockfile.statement, requirements: [...requirements, member] };
    const project = openProject({ ...lockfile, format: 'pnpm-lock', statement });
    expect(commandsFor([change('re-lock', 'pad', '1.0.1')], project)).toEqual([
      'pnpm update --recursive --no-save --depth Infinity pad',
    ]);
  });

  it('lock again after an override, also where CI is set', () => {
    const of = (format: string) =>
      commandsFor([change('override', 'pad', '1.0.1')], openProject({ ...lockfile, format })).at(-1);
    expect([of('yarn-lock'), of('pnpm-lock')]).toEqual([
      'yarn install --no-immutable',
      'pnpm install --no-frozen-lockfile',
    ]);
  });

  it('restore the resolutions of a workspace of Yarn 1, which an upgrade in one of its folders takes out', () => {
    const member = { by: '', folder: 'packages/app', name: 'pad', requirement: '1.0.0' };
    const statement = { ...lockfile.statement, requirements: [member], manager: 'yarn-1' as const };
    const project = openProject({ ...lockfile, format: 'yarn-lock', statement });
    expect(commandsFor([change('upgrade', 'pad', '1.0.1')], project)).toEqual([
      'yarn --cwd packages/app upgrade pad@1.0.1',
      'yarn install',
    ]);
  });

  it('repeat the overrides of a project of pnpm, because the command replaces them all', () => {
    const statement = { ...lockfile.statement, overrides: { left: '1.0.0', query: '0.9.0' } };
    const project = openProject({ ...lockfile, format: 'pnpm-lock', statement });
    expect(commandsFor([change('override', 'pad', '1.0.1')], project)).toEqual([
      `pnpm config set --location project --json overrides '{"left":"1.0.0","query":"0.9.0","pad":"1.0.1"}'`,
      'pnpm install --no-frozen-lockfile',
    ]);
  });

  it('re-lock with pnpm what the project requires itself apart from the rest', () => {
    const changes = [change('re-lock', 'pad', '1.0.1'), change('re-lock', 'query', '1.0.1')];
    expect(commandsFor(changes, openProject({ ...lockfile, format: 'pnpm-lock' }))).toEqual([
      'pnpm update --no-save --depth Infinity pad',
      'pnpm update --no-save --depth Infinity query',
    ]);
  });

  it('re-lock with pnpm beside a version that the project requires itself, which would hold the others', () => {
    const { packages, ...rest } = lockfile;
    const format = 'pnpm-lock';
    const [other] = packages
      .filter(({ id }) => id === 'query@2.0.0')
      .map((one) => ({ ...one, direct: true }));
    if (other === undefined) throw new RangeError('query 2.0.0 is not locked');
    const beside = (groups: readonly ('dev' | 'optional')[]) => {
      const locked = packages.map((one) => (one.id === other.id ? { ...other, groups: [...groups] } : one));
      return commandsFor(
        [change('re-lock', 'query', '1.0.1')],
        openProject({ ...rest, packages: locked, format }),
      );
    };
    expect(beside([])).toEqual(['pnpm update --no-save --dev --depth Infinity query']);
    expect(beside(['dev'])).toEqual(['pnpm update --no-save --prod --depth Infinity query']);
  });
});
