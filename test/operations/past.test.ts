import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withFacts } from '../../src/operations/policies/past.ts';

it('an advisory that cannot be read is in no count, also where an alert dates it', async () => {
  const record = (name: string, id: string) => ({
    ...{ versionKey: { system: 'NPM', name, version: '1.0.0' }, isDefault: true, isDeprecated: false },
    ...{ licenses: [], advisoryIds: [id] },
  });
  const locked = (name: string) => ({
    ...{ id: `NPM:${name}@1.0.0`, ecosystem: 'npm', name, version: '1.0.0' },
    purl: `pkg:npm/${name}@1.0.0`,
  });
  const insights = {
    resolve: async () => ({
      resolutions: [record('a', 'GHSA-1'), record('b', 'GHSA-2')].map((one) => {
        return { outcome: 'resolved', record: one };
      }),
    }),
    advisory: async (id: string) => {
      if (id === 'GHSA-2') throw new Error('HTTP 503');
      return { id, aliases: [] };
    },
  };
  const context = {
    loaded: { config: { data: { folder: join(tmpdir(), 'no-such-folder') } } },
    fleet: { shards: [{}] },
    gate: { open: async () => ({ insights: () => insights }) },
    exploits: async () => ({}),
  };
  const ledger = {
    ...{ target: { id: 'web', labels: {} }, since: 0, knownSince: 0, nameless: 0 },
    packages: ['a', 'b'].map((name) => ({ path: 'x', from: 0, until: 9, locked: locked(name) })),
    entries: [
      {
        at: 5,
        findings: ['GHSA-1', 'GHSA-2'].map((advisory) => ({ transition: 'opened', advisory })),
      },
    ],
  };
  const options = { seesAll: true, signal: new AbortController().signal };
  const found = await withFacts(context as never, [ledger as never], options);
  expect(found.undated).toEqual(['GHSA-2']);
  expect(found.counts).toMatchObject({ advisories: 1, datedByAlert: 1, packagesNotKnown: 0 });
  expect(found.targets[0]?.packages.map(({ advisories }) => advisories)).toEqual([[[5, 'GHSA-1']], []]);
});
