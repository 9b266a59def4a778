import { expect, it } from 'vitest';
import { adviseOn } from '../../src/advice/advise-on.ts';
import { openProject } from '../../src/advice/project.ts';
import { factsOf, lockfileOf, type Registry } from './registry.ts';

const BAD = { advisories: ['GHSA-1'] };
/** More direct dependencies than are upgraded to clear one package. */
const PLUGINS = Array.from({ length: 12 }, (_, index) => `plugin-${index}`);

const registry: Registry = {
  ...Object.fromEntries(PLUGINS.map((name) => [name, { '1.0.0': { needs: { base: '^1.0.0' } } }])),
  base: {
    '1.0.0': { needs: { body: '1.0.0' } },
    '1.1.0': { needs: { body: '1.1.0' } },
  },
  body: { '1.0.0': { needs: { parser: '1.0.0' } }, '1.1.0': { needs: { parser: '^1.0.0' } } },
  parser: { '1.0.0': BAD, '1.0.1': {} },
};

function advise(given: Registry, direct = Object.fromEntries(PLUGINS.map((name) => [name, '^1.0.0']))) {
  const lockfile = lockfileOf(given, direct, {
    ...Object.fromEntries(Object.keys(direct).map((name) => [`${name}@1.0.0`, ['base@1.0.0']])),
    'base@1.0.0': ['body@1.0.0'],
    'body@1.0.0': ['parser@1.0.0'],
    'parser@1.0.0': [],
  });
  return adviseOn(lockfile.find('parser@1.0.0'), openProject(lockfile), factsOf(given), 0);
}

it('locks a package again that is above those that require an affected version', async () => {
  expect(await advise(registry)).toMatchObject({
    kind: 'in-range',
    changes: [
      { name: 'base', from: '1.0.0', to: '1.1.0', how: 're-lock' },
      { name: 'parser', from: '1.0.0', to: '1.0.1', how: 're-lock' },
    ],
    commands: ['npm update base parser'],
    evidence: { graphs: [{ name: 'base', version: '1.1.0', brings: ['1.0.1'], good: true }] },
  });
});

it('does not when the version that gets locked brings an affected one', async () => {
  const again = {
    ...registry,
    base: { ...registry['base'], '1.2.0': { needs: { body: '1.0.0' } } },
  };
  expect(await advise(again)).toMatchObject({
    kind: 'override',
    reason: '12 direct dependencies bring it',
    evidence: { graphs: [] },
  });
});

it('does not when one of those that require it permits no later version', async () => {
  const pinned = { ...registry, 'plugin-0': { '1.0.0': { needs: { base: '1.0.0' } } } };
  expect(await advise(pinned)).toMatchObject({ kind: 'override' });
});

it('upgrades a direct dependency to the smallest version instead', async () => {
  const direct = { 'plugin-0': '^1.0.0' };
  const later = {
    ...registry,
    'plugin-0': {
      '1.0.0': { needs: { base: '1.0.0' } },
      '1.1.0': { needs: { base: '1.1.0' } },
      '1.2.0': { needs: { base: '1.1.0' } },
    },
  };
  expect(await advise(later, direct)).toMatchObject({
    kind: 'upgrade-direct',
    changes: [
      { name: 'plugin-0', to: '1.1.0', how: 'upgrade' },
      { name: 'parser', to: '1.0.1', how: 're-lock' },
    ],
  });
});
