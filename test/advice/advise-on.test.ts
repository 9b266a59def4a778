import { describe, expect, it } from 'vitest';
import { adviseOn } from '../../src/advice/advise-on.ts';
import { openProject } from '../../src/advice/project.ts';
import { sentenceOf } from '../../src/advice/sentence.ts';
import { factsOf, lockfileOf, type Registry } from './registry.ts';

const NOW = Date.parse('2026-11-22T00:00:00Z');

async function advise(registry: Registry, lockfile: ReturnType<typeof lockfileOf>, id: string) {
  const affected = lockfile.find(id);
  const fix = await adviseOn(affected, openProject(lockfile), factsOf(registry), NOW);
  return { ...fix, sentence: sentenceOf(affected.name, fix) };
}

const BAD = { advisories: ['GHSA-1'] };

describe('the nearest good version', () => {
  const registry = {
    pad: {
      '1.0.0': BAD,
      '0.9.0': {},
      '1.1.0-beta.1': {},
      '1.1.0': BAD,
      '1.1.1': { isDeprecated: true },
      '1.10.0': {},
      '1.2.0': { advisories: ['GHSA-2'] },
      '1.3.0': {},
      '2.0.0': {},
    },
  };

  it('is neither affected, deprecated, a pre-release nor earlier', async () => {
    const lockfile = lockfileOf(registry, { pad: '1.0.0' }, { 'pad@1.0.0': [] });
    const fix = await advise(registry, lockfile, 'pad@1.0.0');
    expect(fix).toMatchObject({
      kind: 'upgrade-direct',
      version: '1.3.0',
      breaking: false,
      commands: ['npm install pad@1.3.0'],
      changes: [{ name: 'pad', from: '1.0.0', to: '1.3.0', how: 'upgrade' }],
      sentence: 'Upgrade pad 1.0.0 → 1.3.0: `npm install pad@1.3.0`.',
    });
    expect(fix.evidence.candidates.slice(0, 3)).toEqual([
      { version: '1.1.0', advisories: ['GHSA-1'] },
      { version: '1.2.0', advisories: ['GHSA-2'] },
      { version: '1.3.0', advisories: [] },
    ]);
  });

  it('is what OSV names as fixed, and no other candidate is looked up', async () => {
    const lockfile = lockfileOf(registry, { pad: '1.0.0' }, { 'pad@1.0.0': [] });
    const ask = async (fixed: string) => {
      const facts = factsOf(registry);
      const known = { ...facts, fixedIn: async () => fixed };
      const fix = await adviseOn(lockfile.find('pad@1.0.0'), openProject(lockfile), known, NOW);
      return { fix, looked: facts.requested.filter((one) => one.startsWith('records')) };
    };
    const { fix, looked } = await ask('1.3.0');
    expect(looked).toEqual(['records pad@1.3.0']);
    expect(fix).toMatchObject({ kind: 'upgrade-direct', version: '1.3.0', evidence: { from: 'osv' } });
    // One that is affected itself, and one that nobody published.
    for (const wrong of ['1.2.0', '1.2.5']) {
      const { fix: other } = await ask(wrong);
      expect(other).toMatchObject({ version: '1.3.0' });
      expect(other.evidence.from).toBeUndefined();
    }
  });

  it('may be a pre-release when the locked one is', async () => {
    const own = { pad: { '1.0.0-beta.1': BAD, '1.0.0-beta.2': {}, '1.0.0': {} } };
    const lockfile = lockfileOf(own, { pad: '1.0.0-beta.1' }, { 'pad@1.0.0-beta.1': [] });
    expect(await advise(own, lockfile, 'pad@1.0.0-beta.1')).toMatchObject({ version: '1.0.0-beta.2' });
  });

  it.each([
    [{ '1.0.0': BAD }, 'there is no later version'],
    [{ '1.0.0': BAD, '1.1.0': BAD, '2.0.0': BAD }, 'none of the 2 later versions is good'],
  ])('is not invented when there is none', async (pad, reason) => {
    const lockfile = lockfileOf({ pad }, { pad: '^1.0.0' }, { 'pad@1.0.0': [] });
    expect(await advise({ pad }, lockfile, 'pad@1.0.0')).toMatchObject({
      kind: 'none',
      reason,
      commands: [],
      changes: [],
      sentence: `There is no fix: ${reason}.`,
    });
  });
});

describe('in range', () => {
  const parser = { '1.0.0': BAD, '1.0.1': {}, '1.1.0': {}, '2.0.0': {} };

  it('names what the package manager will lock, which is the highest version that is permitted', async () => {
    const registry = { server: { '1.0.0': { needs: { parser: '^1.0.0' } } }, parser };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'in-range',
      version: '1.0.1',
      changes: [{ name: 'parser', from: '1.0.0', to: '1.1.0', how: 're-lock' }],
      commands: ['npm update parser'],
      evidence: { requirements: [{ by: 'server@1.0.0', requirement: '^1.0.0', permits: true }] },
      sentence: 'Fixed in parser 1.0.1. Every requirement permits it: `npm update parser`.',
    });
  });

  it('is not promised when the package manager would lock another affected version', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '^1.0.0' } } },
      parser: { '1.0.0': BAD, '1.0.1': {}, '1.1.0': { advisories: ['GHSA-2'] } },
    };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'override',
      version: '1.0.1',
      commands: ["npm pkg set 'overrides[parser]=1.0.1'", 'npm update parser'],
    });
  });

  it('is not promised for a requirement that is not known', async () => {
    const registry = { server: { '1.0.0': {} }, parser };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    const fix = await advise(registry, lockfile, 'parser@1.0.0');
    expect(fix.kind).not.toBe('in-range');
    expect(fix.evidence.requirements).toEqual([{ by: 'server@1.0.0', permits: false }]);
  });

  it('locks a package between the direct dependency and the affected one again', async () => {
    const registry = {
      server: { '1.0.0': { needs: { body: '^1.0.0' } } },
      body: { '1.0.0': { needs: { parser: '1.0.0' } }, '1.2.0': { needs: { parser: '~1.0.1' } } },
      parser,
    };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['body@1.0.0'], 'body@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'in-range',
      changes: [{ name: 'body', from: '1.0.0', to: '1.2.0', how: 're-lock' }],
      commands: ['npm update body'],
    });
  });
});

describe('the upgrade of a direct dependency', () => {
  const parser = { '1.0.0': BAD, '1.0.1': {}, '2.0.0': {} };
  const server = {
    '1.0.0': { needs: { parser: '1.0.0' } },
    '1.1.0': { needs: { parser: '1.0.0' } },
    '1.2.0': { needs: { parser: '1.0.1' } },
    '1.3.0': { needs: { parser: '2.0.0' } },
    '2.0.0': { needs: { parser: '2.0.0' } },
  };
  const locked = { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] };

  it('is the smallest one that resolves to a good version', async () => {
    const registry = { server, parser };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      kind: 'upgrade-direct',
      changes: [{ name: 'server', from: '1.0.0', to: '1.2.0', how: 'upgrade' }],
      commands: ['npm install server@1.2.0'],
      sentence: 'Upgrade server 1.0.0 → 1.2.0, which brings parser 1.0.1: `npm install server@1.2.0`.',
    });
  });

  it('is not one that is affected itself', async () => {
    const registry = {
      server: { ...server, '1.2.0': { ...server['1.2.0'], advisories: ['GHSA-3'] } },
      parser,
    };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      changes: [{ name: 'server', to: '1.3.0' }],
    });
  });

  it('locks the package again when its locked version would be kept', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '1.0.0' } }, '1.1.0': { needs: { parser: '^1.0.0' } } },
      parser,
    };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      kind: 'upgrade-direct',
      commands: ['npm install server@1.1.0', 'npm update parser'],
    });
  });

  it('is not believed when its graph has errors', async () => {
    const registry = {
      server: { '1.0.0': server['1.0.0'], '1.1.0': { needs: { parser: '1.0.1', gone: '^1' } } },
      parser,
    };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      kind: 'unknown',
      reason: 'the dependency graph of server 1.1.0 has errors: gone ^1 cannot be resolved',
      changes: [],
      commands: [],
    });
  });

  it('is found beside versions without a graph, the newest one among them', async () => {
    const registry = {
      server: {
        ...server,
        '1.1.0': { ...server['1.1.0'], hasNoGraph: true },
        '1.3.0': { ...server['1.3.0'], hasNoGraph: true },
        '2.0.0': { ...server['2.0.0'], hasNoGraph: true },
      },
      parser,
    };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      kind: 'upgrade-direct',
      changes: [{ name: 'server', from: '1.0.0', to: '1.2.0', how: 'upgrade' }],
    });
  });

  it('is not known, and no override is advised, where versions that could bring a good one have no graph', async () => {
    const registry = {
      server: {
        '1.0.0': server['1.0.0'],
        '1.1.0': server['1.1.0'],
        '1.2.0': { ...server['1.2.0'], hasNoGraph: true },
      },
      parser,
    };
    expect(
      await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0'),
    ).toMatchObject({
      kind: 'unknown',
      changes: [],
      commands: [],
      sentence:
        'Fixed in parser 1.0.1. The way there is not known: the index has no dependency graph of server 1.2.0.',
      evidence: {
        graphs: [
          { version: '1.0.0', good: false },
          { version: '1.2.0', good: false, unknown: 'the index has no dependency graph of server 1.2.0' },
          { version: '1.1.0', good: false },
        ],
      },
    });
  });

  it('is of the locked line where that has a good one, and else is marked', async () => {
    const registry = {
      server: { ...server, '1.4.0': { needs: { parser: '1.0.0' } } },
      parser,
    };
    const other = await advise(registry, lockfileOf(registry, { server: '1.0.0' }, locked), 'parser@1.0.0');
    expect(other).toMatchObject({
      changes: [{ name: 'server', to: '2.0.0', breaking: true }],
      sentence:
        'Upgrade server 1.0.0 → 2.0.0 (another major line), which brings parser 2.0.0: `npm install server@2.0.0`.',
    });
  });

  it('concerns every direct dependency that brings the package', async () => {
    const registry = {
      server,
      client: { '1.0.0': { needs: { parser: '1.0.0' } }, '1.0.1': { needs: { parser: '2.0.0' } } },
      parser,
    };
    const lockfile = lockfileOf(
      registry,
      { server: '1.0.0', client: '1.0.0' },
      { ...locked, 'client@1.0.0': ['parser@1.0.0'] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      commands: ['npm install server@1.2.0 client@1.0.1'],
    });
  });

  it('limits an override to the dependents of the affected version', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '1.0.0' } } },
      client: { '1.0.0': { needs: { parser: '^2.0.0' } } },
      parser,
    };
    const lockfile = lockfileOf(
      registry,
      { server: '1.0.0', client: '1.0.0' },
      { ...locked, 'client@1.0.0': ['parser@2.0.0'], 'parser@2.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'override',
      commands: ["npm pkg set 'overrides[server][parser]=1.0.1'", 'npm update parser'],
    });
  });
});

describe('what the project holds back', () => {
  const registry = {
    server: { '1.0.0': { needs: { parser: '^1.0.0' } } },
    parser: { '1.0.0': BAD, '1.0.1': { publishedAt: '2026-11-20T00:00:00Z' } },
  };
  const locked = { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] };
  const where = '.npmrc min-release-age';

  it('is released when its cooldown is over', async () => {
    const week = { minutes: 7 * 1_440, where, except: [] };
    const held = lockfileOf(registry, { server: '^1.0.0' }, locked, { cooldown: week });
    expect(await advise(registry, held, 'parser@1.0.0')).toMatchObject({
      kind: 'held-by-cooldown',
      until: '2026-11-27T00:00:00.000Z',
      commands: [],
      sentence:
        'Fixed in parser 1.0.1, but .npmrc min-release-age does not permit parser 1.0.1 yet; it does from 2026-11-27 on.',
    });
    for (const cooldown of [
      { ...week, minutes: 1_440 },
      { ...week, except: ['par*'] },
      { ...week, except: ['parser@1.0.1 || 1.0.9'] },
      { ...week, minutes: 0, before: Date.parse('2026-11-20') },
    ]) {
      const free = lockfileOf(registry, { server: '^1.0.0' }, locked, { cooldown });
      expect(await advise(registry, free, 'parser@1.0.0')).toMatchObject({ kind: 'in-range' });
    }
  });

  it('is held where an exclude is about other versions, or for good by a date', async () => {
    const cooldown = { minutes: 7 * 1_440, where, except: ['parser@1.0.2', 'parser@npm:^2'] };
    const held = lockfileOf(registry, { server: '^1.0.0' }, locked, { cooldown });
    expect(await advise(registry, held, 'parser@1.0.0')).toMatchObject({ kind: 'held-by-cooldown' });
    const dated = { minutes: 0, before: Date.parse('2026-11-19'), where: '.npmrc before', except: [] };
    const ended = lockfileOf(registry, { server: '^1.0.0' }, locked, { cooldown: dated });
    const fix = await advise(registry, ended, 'parser@1.0.0');
    expect(fix).toMatchObject({
      kind: 'held-by-pin',
      commands: [],
      sentence: 'Fixed in parser 1.0.1, but .npmrc before does not permit parser 1.0.1.',
    });
    expect(fix).not.toHaveProperty('until');
  });

  it('waits where the index advises it, unless a later version is good', async () => {
    const until = '2026-12-01T00:00:00.000Z';
    const versions = { '1.0.0': BAD, '1.0.1': { waitUntil: until } };
    const advised = (parser: Registry[string]) =>
      advise(
        { ...registry, parser },
        lockfileOf({ ...registry, parser }, { server: '^1.0.0' }, locked),
        'parser@1.0.0',
      );
    expect(await advised(versions)).toMatchObject({
      kind: 'held-by-cooldown',
      version: '1.0.1',
      until,
      commands: [],
      sentence:
        'Fixed in parser 1.0.1, but the index does not advise parser 1.0.1 yet; it does from 2026-12-01 on.',
    });
    expect(await advised({ ...versions, '1.0.2': {} })).toMatchObject({ kind: 'in-range', version: '1.0.2' });
    const worse = { advisories: ['GHSA-1'], waitUntil: until };
    expect(await advised({ '1.0.0': BAD, '1.0.1': worse })).toMatchObject({ kind: 'none' });
  });

  it('stays with its pin', async () => {
    const pin = { name: 'parser', requirement: '1.0.0', where: 'package.json overrides', everywhere: true };
    const pinned = lockfileOf(registry, { server: '^1.0.0' }, locked, { pins: [pin] });
    expect(await advise(registry, pinned, 'parser@1.0.0')).toMatchObject({
      kind: 'held-by-pin',
      reason: 'package.json overrides forces parser to 1.0.0',
      commands: [],
    });
    const loose = lockfileOf(registry, { server: '^1.0.0' }, locked, {
      pins: [{ ...pin, requirement: '1' }],
    });
    expect(await advise(registry, loose, 'parser@1.0.0')).toMatchObject({ kind: 'in-range' });
  });
});

describe('where other tools fail', () => {
  it('npm/cli 9718: no re-lock is promised where no permitted version is good', async () => {
    const registry = {
      tsx: { '4.21.0': { needs: { esbuild: '~0.27.0' } }, '4.22.0': { needs: { esbuild: '~0.28.1' } } },
      esbuild: { '0.27.2': {}, '0.27.3': BAD, '0.28.0': BAD, '0.28.1': {} },
    };
    const lockfile = lockfileOf(
      registry,
      { tsx: '^4.21.0' },
      { 'tsx@4.21.0': ['esbuild@0.27.3'], 'esbuild@0.27.3': [] },
    );
    expect(await advise(registry, lockfile, 'esbuild@0.27.3')).toMatchObject({
      kind: 'upgrade-direct',
      commands: ['npm install tsx@4.22.0'],
      evidence: { requirements: [{ by: 'tsx@4.21.0', requirement: '~0.27.0', permits: false }] },
    });
  });

  it('osv-scanner 2988: no upgrade is promised that resolves to the same affected version', async () => {
    const registry = {
      server: { '1.0.0': { needs: { parser: '^1.0.0' } }, '1.1.0': { needs: { parser: '^1.0.0' } } },
      parser: { '1.0.0': BAD, '2.0.0': {} },
    };
    const lockfile = lockfileOf(
      registry,
      { server: '^1.0.0' },
      { 'server@1.0.0': ['parser@1.0.0'], 'parser@1.0.0': [] },
    );
    expect(await advise(registry, lockfile, 'parser@1.0.0')).toMatchObject({
      kind: 'none',
      changes: [],
      reason:
        'server 1.1.0 brings no good version of parser either, and an override to parser 2.0.0, of another major line, can break what requires 1.0.0',
      evidence: {
        graphs: [
          { version: '1.0.0', good: false },
          { version: '1.1.0', brings: ['1.0.0'], good: false },
        ],
      },
    });
  });

  it('npm/cli 3708: nothing is downgraded', async () => {
    const registry = {
      htmlhint: { '0.9.9': {}, '0.15.1': { needs: { 'glob-base': '0.3.0' } } },
      'glob-base': { '0.3.0': { needs: { 'glob-parent': '2.0.0' } } },
      'glob-parent': { '2.0.0': BAD, '2.1.0': {} },
    };
    const lockfile = lockfileOf(
      registry,
      { htmlhint: '^0.15.1' },
      {
        'htmlhint@0.15.1': ['glob-base@0.3.0'],
        'glob-base@0.3.0': ['glob-parent@2.0.0'],
        'glob-parent@2.0.0': [],
      },
    );
    const fix = await advise(registry, lockfile, 'glob-parent@2.0.0');
    expect(fix).toMatchObject({ kind: 'override', reason: 'no later version of htmlhint can be locked' });
    expect(fix.changes.map(({ name }) => name)).toEqual(['glob-parent']);
  });

  it('dependabot-core 15759: a direct dependency that is good stays as it is', async () => {
    const registry = {
      vite: { '8.0.3': BAD, '8.1.5': {}, '8.2.0': {} },
      vitest: { '4.1.10': { needs: { vite: '^6.0.0 || ^7.0.0 || ^8.0.0' } } },
    };
    const lockfile = {
      ...lockfileOf(
        registry,
        { vite: '8.1.5', vitest: '^4.1.0' },
        { 'vite@8.1.5': [], 'vitest@4.1.10': ['vite@8.0.3'], 'vite@8.0.3': [] },
      ),
      format: 'yarn-lock',
    };
    const fix = await advise(registry, lockfile, 'vite@8.0.3');
    expect(fix).toMatchObject({ kind: 'in-range', commands: ['yarn up --recursive vite'] });
    expect(fix.changes).toEqual([{ name: 'vite', from: '8.0.3', to: '8.2.0', how: 're-lock' }]);
  });
});
